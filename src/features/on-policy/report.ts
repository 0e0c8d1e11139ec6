import type { SHOWN_LISTS } from '../../estimators/names.js';
import type { Row } from '../../rows/row.js';

declare module '../../stream/feature-types.js' {
  interface WindowReports {
    /** Reward of served lists; only if causes are followed. */
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
  /** Why there are no values; null if there may be some. */
  readonly refused: 'exposures_not_named' | null;
  readonly values: readonly OnPolicyRow[];
  /** Interactions that name a list. Actions that count once per item of a list are counted once. */
  readonly named: number;
  /**
   * Interactions that name an unknown list, or a list without their item; no model is credited for
   * them.
   */
  readonly elsewhere: number;
}
