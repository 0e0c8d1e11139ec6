import { ON_POLICY } from '../../estimators/names.js';
import { isDecisive } from '../../rows/reading.js';
import type { WindowPanes } from '../../state/panes/group-by-user.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { type LevelReading, type Watched, weightOf } from '../reading.js';
import type { FeatureWork, TickView, WindowRows } from '../work.js';
import { type AbFound, abTest } from './ab/ab-test.js';
import { withRequests } from './ab/with-requests.js';
import { leadingValues } from './leading-values.js';
import { namesOfArms, withNames } from './named-clicks.js';
import { withProved } from './proved.js';
import { valueOfWindows } from './value-of-windows.js';
import type { WindowValues } from './window-values.js';

/** Function that computes reward per request in one window, and the result of the A/B test. */
interface Valued {
  valued(window: WindowPanes): WindowValues;
  readonly test: AbFound | undefined;
}

export const VALUES_WORK: FeatureWork<Valued> = {
  isAsked: ({ value }) => value !== undefined,
  experiment: ({ value }) => value && { earning: value.test?.earning },
  requestHorizonMs: ({ value }) => value?.horizonMs,
  settings: ({ value }) => ({ 'value.horizon': value!.horizonMs }),
  begin(view) {
    const { requests, models, options } = view;
    const names = models.map(({ name }) => name);
    const { value, isWholeLog = false } = options;
    const valued = valueOfWindows(requests, names, {
      ...value!,
      isWholeLog,
    });
    return {
      valued,
      test: isWholeLog ? testOf(view) : undefined,
    };
  },
  window({ window, models, lighter }, _, { valued, test }) {
    const { values, differences, evidence: found, ...tested } = valued(window);
    const ofTest = test && {
      abTest: test.read,
      valueEvidence: test.evidence,
    };
    if (values.length === 0) return { ...ofTest };
    const evidence = found.some(({ rung }) => rung === 'experiment' || rung === 'arms')
      ? withNames(found, namesOf(values, models, lighter), values)
      : found;
    const valueDifferences = withProved(differences, evidence, window);
    const reports = {
      values,
      valueDifferences,
      ...tested,
    };
    if (test === undefined) {
      return {
        ...reports,
        valueEvidence: evidence,
      };
    }
    const both = withRequests(test, evidence);
    return {
      ...reports,
      abTest: both.read,
      valueEvidence: both.evidence,
    };
  },
};

/** A/B test from the served lists of a whole log. */
function testOf({ partitions, models, options, windows }: TickView): AbFound | undefined {
  const { horizonMs, control, margin = 0, unit, test } = options.value!;
  return abTest(
    partitions.map(({ experiment }) => experiment ?? []),
    models,
    windows[0].to,
    {
      hasOtherClicks: false,
      ...test,
      horizonMs,
      control,
      margin,
      unit,
    },
  );
}

/** Estimate how many clicks lack a list id, for each served model. */
function namesOf(
  values: WindowValues['values'],
  models: readonly string[],
  lighter: WindowRows['lighter'],
) {
  const served = values.flatMap(({ model, estimator, counts }): [string, number][] =>
    estimator === ON_POLICY.estimator ? [[model, counts.requests]] : [],
  );
  return namesOfArms(lighter, models, new Map(served));
}

/**
 * Each model's reward per request, as readings for the detection of changes; empty if it is not
 * reported.
 */
export function valueReadings(
  _: Snapshot,
  { values = [] }: WindowSnapshot,
  { standardisation }: Watched,
): LevelReading[] {
  const weight = weightOf(standardisation);
  return leadingValues(values)
    .filter((row) => Number.isFinite(row.value) && weight(row) > 0)
    .map((row) => ({
      kind: 'level',
      series: `value/${row.estimator}/${row.model}`,
      model: row.model,
      value: row.value,
      weight: weight(row),
      dependsOnVolume: false,
      reason: isDecisive(row) ? null : (row.reasons[0]?.code ?? 'its standard error is not known'),
    }));
}
