import type { Influences } from './influences.js';
import type { LoggedUnit } from './logged/logged-sums.js';

const LOGGED_UNITS: readonly LoggedUnit[] = ['slot', 'prefix', 'list', 'item'];

/** Names of the forms of value estimates in results. */
export type ValueEstimatorName =
  | 'on_policy'
  | `arms_${'ips' | 'snips' | 'dr'}`
  | `uniform_${'ips' | 'snips'}`
  | `logged_${LoggedUnit}_${'ips' | 'snips' | 'dr' | 'dros'}`;

export const VALUE_ESTIMATORS: readonly ValueEstimatorName[] = [
  'on_policy',
  'arms_ips',
  'arms_snips',
  'arms_dr',
  'uniform_ips',
  'uniform_snips',
  ...LOGGED_UNITS.flatMap((unit) =>
    (['ips', 'snips', 'dr', 'dros'] as const).map((form) => `logged_${unit}_${form}` as const),
  ),
];

/** Value of a model: expected reward per request if the first positions of its list were served. */
export interface ValueEstimate extends Influences {
  readonly model: string;
  readonly estimator: ValueEstimatorName;
  /** Standard error, clustered, including the uncertainty of examination; NaN with a single cluster. */
  readonly stdErr: number;
  /** 95 % interval; NaN if nothing was rewarded or the error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /** Number of requests behind the estimate. */
  readonly requests: number;
  /** Share of the model's examined positions whose items some arm shows; 1 on policy. */
  readonly coverage: number;
  /** Mean θ per request of the model's items that no arm serves; 0 on policy. */
  readonly unseen: number;
  /** Upper bound of the whole lists' value; NaN if no largest reward is configured. */
  readonly bound: number;
}
