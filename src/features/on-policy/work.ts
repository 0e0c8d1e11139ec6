import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';
import type { FeatureWork } from '../work.js';
import { onPolicyReport } from './on-policy.js';

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
  conclude: ({ results, feedback }, { onPolicy, values }) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
};

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
