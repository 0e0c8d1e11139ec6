import { isGiven } from '../../rows/reading.js';
import {
  type GammaRange,
  gammaSensitivity,
  type MeasureLevels,
  unreachedTail,
} from '../diagnostics/gamma-sensitivity.js';
import { LEADING } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { WIDEST_GAMMA } from '../propensity/gamma-error.js';
import { propensityExponent } from '../propensity/power-law.js';
import type { EstimateRow } from '../results/estimate.js';
import type { MeasureSensitivity } from '../results/sensitivity.js';

/** Standard errors of γ that its 95 % interval spans to either side. */
const Z = 1.96;

/**
 * What the choice of γ decides in a window: for each measure the band of every model's pooled snips
 * over γ in [−1, 1], and where models change places there, and between there and the γ in use with
 * all of its interval. And which rare items a model gains nothing on.
 *
 * See `gammaSensitivity`. What is withheld has no band and changes no places.
 *
 * @param counts of each level. @param measures of the organic rows, by level.
 * @param results of the window, judged.
 */
export function windowSensitivity(
  counts: Float64Array,
  measures: readonly MeasureLevels[],
  results: readonly EstimateRow[],
  options: EstimateOptions,
): MeasureSensitivity[] {
  const range = rangeOf(options);
  const beta = propensityExponent(options.gamma);
  const found: MeasureSensitivity[] = [];
  for (const { metric, k, models: sums } of measures) {
    const own = results.filter((row) => row.metric === metric && row.k === k);
    const given = sums.filter(({ model }) => !isWithheld(own, model));
    const { bands, flips } = gammaSensitivity(counts, given, range);
    if (bands.length === 0) continue;
    const tails = given.flatMap((own) => unreachedTail(counts, own, beta) ?? []);
    found.push({
      metric,
      k,
      bands,
      flips,
      tails,
    });
  }
  return found;
}

/** [−1, 1], as far as the γ in use and its interval go beyond it, and no further than [−5, 5]. */
function rangeOf({ gamma, gammaStdErr, gammaHalfWidth }: EstimateOptions): GammaRange {
  const half = gammaHalfWidth ?? Z * gammaStdErr;
  return {
    from: Math.max(-WIDEST_GAMMA, Math.min(-1, gamma - half)),
    to: Math.min(WIDEST_GAMMA, Math.max(1, gamma + half)),
  };
}

/** Goes by the estimate that the band is of; by any other where that was not asked for. */
function isWithheld(rows: readonly EstimateRow[], model: string): boolean {
  const pooled = rows.filter((row) => row.model === model && row.form === 'pooled');
  const leading = pooled.filter(({ estimator }) => estimator === LEADING);
  const judged = leading.length > 0 ? leading : pooled;
  return !judged.every(isGiven);
}
