import { type Aggregation, type EstimatorName, LEADING } from '../../estimators/names.js';

/** The form of an estimate. */
interface Formed {
  readonly estimator: EstimatorName;
  readonly form: Aggregation;
}

/** Of some estimates those of the form that leads: pooled snips, or what comes closest to it. */
export function ofLeadingForm<Row extends Formed>(rows: readonly Row[]): readonly Row[] {
  const estimator = rows.some((row) => row.estimator === LEADING) ? LEADING : rows[0]?.estimator;
  const own = rows.filter((row) => row.estimator === estimator);
  const pooled = own.filter(({ form }) => form === 'pooled');
  return pooled.length > 0 ? pooled : own;
}
