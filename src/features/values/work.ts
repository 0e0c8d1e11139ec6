import { ON_POLICY } from '../../estimators/names.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { isDecisive } from '../../rows/reading.js';
import type { WindowPanes } from '../../state/panes/group-by-user.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { type LevelReading, type Watched, weightOf } from '../reading.js';
import type { FeatureWork, WindowRows } from '../work.js';
import { leadingValues } from './leading-values.js';
import { namesOfArms, withNames } from './named-clicks.js';
import { withProved } from './proved.js';
import { valueOfWindows } from './value-of-windows.js';
import type { WindowValues } from './window-values.js';

/** What lists are worth by requests, of one window. */
type Valued = (window: WindowPanes, within: Rounds) => Generator<void, WindowValues>;

export const VALUES_WORK: FeatureWork<Valued> = {
  isAsked: ({ value }) => value !== undefined,
  requestHorizonMs: ({ value }) => value?.horizonMs,
  settings: ({ value }) => ({ 'value.horizon': value!.horizonMs }),
  *begin({ requests, models, options, rounds }) {
    const names = models.map(({ name }) => name);
    const { value, isWholeLog = false } = options;
    return yield* valueOfWindows(requests, names, { ...value!, isWholeLog }, rounds);
  },
  *window({ window, models, parts }, { rounds }, valued) {
    const { values, differences, evidence: found, ...tested } = yield* valued(window, rounds);
    if (values.length === 0) return {};
    const evidence = found.some(({ rung }) => rung === 'experiment' || rung === 'arms')
      ? withNames(found, yield* namesOf(values, models, parts, rounds), values)
      : found;
    const valueDifferences = withProved(differences, evidence, window);
    return { values, valueDifferences, valueEvidence: evidence, ...tested };
  },
};

/** Which clicks name the lists of the models that were served. */
function* namesOf(
  values: WindowValues['values'],
  models: readonly string[],
  parts: WindowRows['parts'],
  rounds: Rounds,
) {
  const served = values.flatMap(({ model, estimator, counts }): [string, number][] =>
    estimator === ON_POLICY.estimator ? [[model, counts.requests]] : [],
  );
  const rows = parts.map(({ lighter }) => lighter);
  return yield* namesOfArms(rows, models, new Map(served), rounds);
}

/** What lists are worth by requests, where it is given. */
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
      reason: isDecisive(row) ? null : (row.reasons[0]?.code ?? 'its error is not known'),
    }));
}
