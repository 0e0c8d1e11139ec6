import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
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
    // Fields stand in the order in which they are said first: `conclude` says which numbers lead.
    return {
      onPolicy: yield* onPolicyReport(served, models, window, undefined, rounds),
      leads: 'estimates',
    };
  },
  conclude: ({ results, feedback }, { onPolicy, values }: MayLead) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
  readings: rewardReadings,
};

/** What shown lists are worth, where it leads and models are watched by estimates. */
function rewardReadings(
  _: Snapshot,
  { onPolicy, leads }: WindowSnapshot,
  { metric, standardisation }: Watched,
): LevelReading[] {
  if (metric === undefined || onPolicy === undefined || leads !== 'on_policy') return [];
  const weight = weightOf(standardisation);
  const usable = onPolicy.values.filter((row) => Number.isFinite(row.value) && weight(row) > 0);
  return usable.map((row) => ({
    ...{ kind: 'level', series: `on_policy/${row.model}`, model: row.model, value: row.value },
    ...{ weight: weight(row), reason: tooFewUsers(row), dependsOnVolume: false },
  }));
}
