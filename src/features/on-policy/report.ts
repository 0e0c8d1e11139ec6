import type { SHOWN_LISTS } from '../../estimators/names.js';
import type { Row } from '../../rows/row.js';

declare module '../../stream/feature-types.js' {
  interface WindowReports {
    /** Reward per served list; only if interactions are traced to lists. */
    readonly onPolicy?: OnPolicyReport;
  }
}

/**
 * Mean reward per served list of a model. Its standard error is clustered by user, and NaN for a
 * single user; the interval is also NaN if the lists have no reward. `ess` is Kish's effective
 * number of users by the reward of their lists.
 */
export type OnPolicyRow = Row & {
  readonly metric: (typeof SHOWN_LISTS)['metric'];
  readonly k: null;
  readonly estimator: (typeof SHOWN_LISTS)['estimator'];
  readonly form: 'list';
  /**
   * Numbers of served lists of the model, of users who were served one, and of interactions with a
   * reward.
   */
  readonly counts: {
    readonly lists: number;
    readonly users: number;
    readonly clicks: number;
  };
};

/** Reward per served list, by model. */
export interface OnPolicyReport {
  /**
   * Why there are no values: `exposures_not_named` if no interaction names a list, otherwise null.
   */
  readonly refused: 'exposures_not_named' | null;
  readonly values: readonly OnPolicyRow[];
  /**
   * Number of interactions attributed to a list by id. If an action counts once per item of a list,
   * its repetitions are not counted.
   */
  readonly named: number;
  /**
   * Number of interactions whose list id is unknown, or whose list lacks the item; no model is
   * credited for them.
   */
  readonly elsewhere: number;
}
