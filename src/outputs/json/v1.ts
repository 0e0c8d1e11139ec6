import {
  type DOUBTFUL,
  WITHHELD_REASONS,
  type WithheldReason,
} from '../../estimators/feedback/verdict.js';
import { ABSOLUTE } from '../../estimators/names.js';
import type { EstimateDifference, EstimateRow } from '../../estimators/results/estimate.js';
import type { ScaleName } from '../../estimators/results/scale-report.js';
import type { DrawnEstimate } from '../../estimators/results/window-estimates.js';
import { reportsOf } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import type { FeaturesV1 } from '../../features/schemas.js';
import { codeOf, isDoubtful } from '../../rows/reading.js';
import type { FeatureName } from '../../stream/feature-types.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { v1Identity, v1Interval } from './v1-row.js';
import type { V1Difference, V1Estimate } from './v1-schema.js';

/**
 * This file converts rows to version 1 of the JSON, as in `unskew/evaluation@1` and `/api/v1`.
 * Version 2 will have plain rows and need no conversion.
 */

type Sent<T> = { readonly [Key in keyof T]: T[Key] };

/**
 * Convert an estimate to version 1 of the JSON. @param causes whether interactions driven by
 * recommendations are identified. @param scale source of the propensities of ips.
 */
export function v1Estimate(
  row: EstimateRow,
  causes: boolean,
  scale: ScaleName | undefined,
): Sent<V1Estimate> & { readonly scale?: ScaleName } {
  const { counts, ess, guarantees, sums } = row;
  const { gammaSlope, gammaStdErr, caused, own, other, ...extras } = row.more;
  const reason = codeOf(row, 'withheld') as WithheldReason | null;
  const caution = codeOf(row, 'caution') as WithheldReason | typeof DOUBTFUL | null;
  return {
    ...v1Identity(row),
    ...v1Interval(row),
    users: counts.users,
    events: counts.rows,
    ess,
    gammaSlope,
    gammaStdErr,
    guarantees: [...guarantees],
    ...sums,
    ...(row.estimator === ABSOLUTE && scale !== undefined && { scale }),
    ...extras,
    ...(caused !== undefined && {
      caused,
      own: own!,
      other: other!,
    }),
    ...(causes && { withheld: reason }),
    ...(caused !== undefined && { isDoubtful: caution !== null }),
    ...(isWithheldReason(caution) && { objection: caution }),
  };
}

function isWithheldReason(code: string | null): code is WithheldReason {
  return (WITHHELD_REASONS as readonly (string | null)[]).includes(code);
}

export function v1Difference(row: EstimateDifference, causes: boolean): Sent<V1Difference> {
  const { model, metric, k, estimator, aggregation } = v1Identity(row);
  const { reference, counts, ess, more } = row;
  return {
    model,
    reference,
    metric,
    k,
    estimator,
    aggregation,
    ...v1Interval(row),
    users: counts.users,
    ess,
    gammaStdErr: more.gammaStdErr,
    ...(causes && {
      withheld: codeOf(row, 'withheld') as WithheldReason | null,
      isDoubtful: isDoubtful(row),
    }),
  };
}

/** Convert an estimate on drawn test sets to version 1 of the JSON. */
export function v1Drawn({ draws, mean, stdDev, ...row }: DrawnEstimate) {
  return {
    ...v1Identity(row),
    draws,
    mean,
    stdDev,
  };
}

/**
 * Convert the rows of a window to version 1 of the JSON, over all interactions and over organic
 * ones.
 */
export function v1Window<Window extends V1Source>(window: Window) {
  // These fields are only evidence for verdicts, so they are left out.
  const { valueEvidence: _, drawnModels: __, abTest: ___, ...sent } = window;
  const { results, differences, feedback } = window;
  const causes = feedback !== undefined;
  const scale = window.absoluteScale?.scale;
  const uncaused = feedback?.uncaused;
  return {
    ...sent,
    results: results.map((row) => v1Estimate(row, causes, scale)),
    differences: differences.map((row) => v1Difference(row, causes)),
    ...(feedback && {
      feedback: {
        ...feedback,
        uncaused: uncaused && {
          ...uncaused,
          results: uncaused.results.map((row) => v1Estimate(row, false, scale)),
          differences: uncaused.differences.map((row) => v1Difference(row, false)),
        },
      },
    }),
    ...v1Reports(window),
  };
}

type V1Source = Pick<WindowSnapshot, 'results' | 'differences'> &
  Partial<Pick<WindowSnapshot, 'feedback' | 'absoluteScale' | FeatureName>>;

/** Convert the reports of features on a window, by name. */
export function v1Reports(window: Pick<WindowSnapshot, FeatureName>) {
  const reports = Object.entries(reportsOf(allOutputs(), window)) as [FeatureName, never][];
  return Object.fromEntries(
    reports.map(([name, report]) => {
      const own = allOutputs().find((output) => output.name === name)!;
      return [name, own.toV1?.(report) ?? report];
    }),
  ) as FeaturesV1;
}
