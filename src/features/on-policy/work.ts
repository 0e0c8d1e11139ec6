import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';
import type { FeatureWork } from '../work.js';
import { onPolicyReport } from './on-policy.js';

/** What shown lists are worth, and whether they or other numbers lead. */
export const ON_POLICY_WORK: FeatureWork = {
  isAsked: ({ estimates }) => isFollowed(estimates),
  *window({ parts, models, window }) {
    const served = parts.map(({ lighter }) => lighter.served ?? []);
    const drawnModels = namesOfDrawn(served, models);
    // Fields stand in the order in which they are said first: `conclude` says which numbers lead.
    const onPolicy = yield* onPolicyReport(served, models, window);
    return { onPolicy, leads: 'estimates', ...(drawnModels.length > 0 && { drawnModels }) };
  },
  conclude: ({ results, feedback }, { onPolicy, values }) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
};

function namesOfDrawn(
  parts: readonly (readonly ServedLists[])[],
  models: readonly string[],
): string[] {
  const [drawn, own] = [new Uint8Array(models.length), new Uint8Array(models.length)];
  for (const { length, model, lists } of parts.flat()) {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 0) continue;
      const name = model[r] & SERVED_MODEL;
      if (name < models.length) ((model[r] & DRAWN_LIST) === 0 ? own : drawn)[name] = 1;
    }
  }
  return models.filter((_, m) => drawn[m] === 1 && own[m] === 0);
}
