import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
import type { FeatureWork } from '../work.js';
import { onPolicyReport } from './on-policy.js';

/** What shown lists are worth, and whether they or other numbers lead. */
export const ON_POLICY_WORK: FeatureWork = {
  isAsked: ({ estimates }) => isFollowed(estimates),
  *window({ parts, models, window }) {
    const served = parts.map(({ lighter }) => lighter.served ?? []);
    // Fields stand in the order in which they are said first: `conclude` says which numbers lead.
    return { onPolicy: yield* onPolicyReport(served, models, window), leads: 'estimates' };
  },
  conclude: ({ results, feedback }, { onPolicy, values }) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
};
