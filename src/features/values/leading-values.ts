import { ON_POLICY } from '../../estimators/names.js';

/**
 * Choose the main row of each model: self-normalised from all arms, or the closest form available.
 * A model whose value from all arms is refused keeps that row with its reasons, since its on-policy
 * value is a different quantity.
 *
 * @param values of a window, in the order of the models. @returns one per model, in that order
 * @example
 * const rows = ['on_policy', 'arms_ips', 'arms_snips'].map((estimator) => ({ model: 'a', estimator }));
 * leadingValues(rows).map(({ estimator }) => estimator); // ['arms_snips']
 */
export function leadingValues<
  Row extends {
    readonly model: string;
    readonly estimator: string;
  },
>(values: readonly Row[]): Row[] {
  const leading = new Map<string, Row>();
  for (const row of values) {
    const before = leading.get(row.model);
    if (before === undefined || rankOf(row) > rankOf(before)) {
      leading.set(row.model, row);
    }
  }
  return [...leading.values()];
}

function rankOf({ estimator }: { readonly estimator: string }): number {
  if (estimator === ON_POLICY.estimator) return 0;
  return estimator.endsWith('_snips') ? 2 : 1;
}
