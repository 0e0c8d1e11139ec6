import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { type LevelReading, tooFewUsers, type Watched, weightOf } from '../reading.js';
import type { FeatureWork } from '../work.js';
import { onPolicyReport } from './on-policy.js';

/** Reports that may lead beside the estimates, where features make them. */
interface MayLead {
  readonly onPolicy?: Parameters<typeof leadingNumbers>[2];
  readonly values?: Parameters<typeof leadingNumbers>[3];
}

/** What shown lists are worth, and whether they or other numbers lead. */
export const ON_POLICY_WORK: FeatureWork = {
  isAsked: ({ estimates }) => isFollowed(estimates),
  *window({ parts, models, window }, { rounds }) {
    const served = parts.map(({ lighter }) => lighter.served ?? []);
    const drawnModels = yield* namesOfDrawn(served, models, rounds);
    // Fields stand in the order in which they are said first: `conclude` says which numbers lead.
    const onPolicy = yield* onPolicyReport(served, models, window, undefined, rounds);
    return { onPolicy, leads: 'estimates', ...(drawnModels.length > 0 && { drawnModels }) };
  },
  conclude: ({ results, feedback }, { onPolicy, values }: MayLead) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
};

/** What shown lists are worth, where it leads. */
export function rewardReadings(
  _: Snapshot,
  { onPolicy, leads }: WindowSnapshot,
  { standardisation }: Watched,
): LevelReading[] {
  if (onPolicy === undefined || leads !== 'on_policy') return [];
  const weight = weightOf(standardisation);
  const usable = onPolicy.values.filter((row) => Number.isFinite(row.value) && weight(row) > 0);
  return usable.map((row) => ({
    kind: 'level',
    series: `on_policy/${row.model}`,
    model: row.model,
    value: row.value,
    weight: weight(row),
    reason: tooFewUsers(row),
    dependsOnVolume: false,
  }));
}

function* namesOfDrawn(
  parts: readonly (readonly ServedLists[])[],
  models: readonly string[],
  rounds: Rounds,
): Generator<void, string[]> {
  const none = new NumberSums(2 * models.length);
  const { values } = yield* rounds.gather(none, parts, function* look(own, part) {
    for (const { length, model, lists } of part) {
      for (let r = 0; r < length; r++) {
        const name = model[r] & SERVED_MODEL;
        if (lists[r] === 0 || name >= models.length) continue;
        own.values[2 * name + ((model[r] & DRAWN_LIST) === 0 ? 0 : 1)]++;
      }
      yield;
    }
  });
  return models.filter((_, m) => values[2 * m] === 0 && values[2 * m + 1] > 0);
}
