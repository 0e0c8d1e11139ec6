import { isFollowed } from '../../estimators/feedback/feedback-mode.js';
import { leadingNumbers } from '../../rows/leading-numbers.js';
import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { type LevelReading, tooFewUsers, type Watched, weightOf } from '../reading.js';
import type { FeatureWork } from '../work.js';
import { onPolicyReport } from './on-policy.js';

/** Reports that may replace the estimates as the main result of a window. */
interface MayLead {
  readonly onPolicy?: Parameters<typeof leadingNumbers>[2];
  readonly values?: Parameters<typeof leadingNumbers>[3];
}

/**
 * The computation of the reward per served list; it also decides which numbers are the main result
 * of a window.
 */
export const ON_POLICY_WORK: FeatureWork = {
  isAsked: ({ estimates }) => isFollowed(estimates),
  window({ lighter: { served = [] }, models, window }) {
    const drawnModels = namesOfDrawn(served, models);
    // The order of the fields is fixed here; `conclude` later decides which numbers lead.
    const onPolicy = onPolicyReport(served, models, window);
    return {
      onPolicy,
      leads: 'estimates',
      ...(drawnModels.length > 0 && { drawnModels }),
    };
  },
  conclude: ({ results, feedback }, { onPolicy, values }: MayLead) => ({
    leads: leadingNumbers(results, feedback, onPolicy, values),
  }),
};

/**
 * Readings of the reward per served list for the change detectors, if it is the main result of the
 * window.
 */
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

/** Names of the models whose served lists were all randomised. */
function namesOfDrawn(served: readonly ServedLists[], models: readonly string[]): string[] {
  const chosen = new Float64Array(models.length);
  const drawn = new Float64Array(models.length);
  for (const { length, model, lists } of served) {
    for (let r = 0; r < length; r++) {
      const own = model[r] & SERVED_MODEL;
      if (lists[r] === 0 || own >= models.length) continue;
      if ((model[r] & DRAWN_LIST) === 0) {
        chosen[own]++;
      } else {
        drawn[own]++;
      }
    }
  }
  return models.filter((_, m) => chosen[m] === 0 && drawn[m] > 0);
}
