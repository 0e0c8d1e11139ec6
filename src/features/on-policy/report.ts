import type { SHOWN_LISTS } from '../../estimators/names.js';
import type { Row } from '../../rows/row.js';

declare module '../../stream/feature-types.js' {
  interface WindowReports {
    /** Reward of served lists; only if causes are followed. */
    readonly onPolicy?: OnPolicyReport;
  }
}

/**
 * What a list of a model is worth when it is shown: the mean reward. Its error is clustered by user, NaN
 * with a single one; so is the interval where nothing came of the lists. `ess` is Kish's effective number
 * of users by what their lists gained.
 */
export type OnPolicyRow = Row & {
  readonly metric: (typeof SHOWN_LISTS)['metric'];
  readonly k: null;
  readonly estimator: (typeof SHOWN_LISTS)['estimator'];
  readonly form: 'list';
  /** Lists of the model that were shown, users who were shown one, and interactions that earned. */
  readonly counts: {
    readonly lists: number;
    readonly users: number;
    readonly clicks: number;
  };
};

/** What shown lists are worth, by their models. */
export interface OnPolicyReport {
  /** Why there are no values; null where there may be. */
  readonly refused: 'exposures_not_named' | null;
  readonly values: readonly OnPolicyRow[];
  /** Interactions that name a list, with what counts once for an item of a list counted once. */
  readonly named: number;
  /** Those of them whose list is not known or lacks the item: no model is credited for them. */
  readonly elsewhere: number;
}
