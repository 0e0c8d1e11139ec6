/** What a list of a model is worth when it is shown. */
export interface OnPolicyValue {
  readonly model: string;
  /** Mean reward of a shown list. */
  readonly value: number;
  /** Clustered by user; NaN with a single user. */
  readonly stdErr: number;
  /** 95 % interval; NaN where nothing came of the lists, or the error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /** Lists of the model that were shown, and users who were shown one. */
  readonly lists: number;
  readonly users: number;
  /** Kish effective number of users by what their lists gained: what the interval rests on. */
  readonly ess: number;
}

/** What shown lists are worth, by their models. */
export interface OnPolicyReport {
  /** Why there are no values; null where there may be. */
  readonly refused: 'exposures_not_named' | null;
  readonly values: readonly OnPolicyValue[];
  /** Interactions that name a list, with what counts once for an item of a list counted once. */
  readonly named: number;
  /** Those of them whose list is not known or lacks the item: no model is credited for them. */
  readonly elsewhere: number;
}
