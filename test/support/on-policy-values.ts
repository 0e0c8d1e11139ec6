import { onPolicyReport } from '../../src/features/on-policy/on-policy.js';
import type { OnPolicyRow } from '../../src/features/on-policy/report.js';
import { ServedListsBuilder } from '../../src/state/panes/served-lists.js';

/** One list that was shown to a user, and what it led to. */
export interface ServedRequest {
  /** Any whole number that tells users apart. */
  readonly user: number;
  readonly model: string;
  /** When the list was shown, ms. */
  readonly shownAt: number;
  /** Sum of what the best actions on its items are worth; 0 for none. */
  readonly reward: number;
}

/**
 * The mean reward of a shown list by the model that made it, from single lists; see
 * `onPolicyReport`.
 *
 * @param requests every shown list, with a reward of 0 if it got no click
 * @param least lists of a model in a stratum of time
 * @returns by model, in code-point order; none without requests
 * @example
 * const served = [1, 0, 1, 1].map((reward, user) => ({ user, model: 'a', shownAt: 0, reward }));
 * onPolicyValues(served)[0].value; // 0.75
 */
export function onPolicyValues(
  requests: readonly ServedRequest[],
  least?: number,
): readonly OnPolicyRow[] {
  const models = [...new Set(requests.map(({ model }) => model))].sort();
  const builder = new ServedListsBuilder();
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { user, model, shownAt, reward } of requests) {
    const m = models.indexOf(model);
    builder.list(user, m, false, shownAt);
    // If nothing came of any list, that is known too.
    builder.reward(user, m, false, shownAt, reward);
    from = Math.min(from, shownAt);
    to = Math.max(to, shownAt + 1);
  }
  const served = builder.build();
  if (served === undefined) return [];
  return onPolicyReport([served], models, { from, to }, least).values;
}
