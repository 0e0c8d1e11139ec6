import { ON_POLICY } from '../../names.js';
import type { OnPolicyReport } from '../on-policy-report.js';
import type { ValueRow } from './value-row.js';

/** What lists are worth, by requests and by shown lists. */
interface Valued<Row> {
  readonly values?: readonly Row[];
  readonly onPolicy?: {
    readonly values: readonly Pick<OnPolicyReport['values'][number], 'model'>[];
  };
}

/**
 * Values by requests, without those on policy of models whose shown lists are valued: a series may
 * be named once, and theirs rest on all lists that were shown, with a request or not.
 */
export function valuesApart<Row extends Pick<ValueRow, 'model' | 'estimator'>>({
  values = [],
  onPolicy,
}: Valued<Row>): readonly Row[] {
  const known = new Set(onPolicy?.values.map(({ model }) => model));
  return values.filter(
    ({ model, estimator }) => estimator !== ON_POLICY.estimator || !known.has(model),
  );
}
