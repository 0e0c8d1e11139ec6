import { v1Interval } from '../../outputs/json/v1-row.js';
import type { V1OnPolicy } from '../../outputs/json/v1-schema.js';
import type { OnPolicyRow } from './report.js';

/** Convert the reward of served lists to version 1 of the JSON. */
export function v1OnPolicy(row: OnPolicyRow): Readonly<V1OnPolicy> {
  const { model, counts, ess } = row;
  return {
    model,
    ...v1Interval(row),
    lists: counts.lists,
    users: counts.users,
    ess,
  };
}
