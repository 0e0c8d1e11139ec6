/** Items of like popularity, among the users of one group. */
export interface ControlVariate {
  /** 0 the least active third of the users; null: all users. */
  readonly userGroup: number | null;
  /** 0 the least popular tenth of the items. */
  readonly decile: number;
  /** Positive rows of either kind. */
  readonly organic: number;
  readonly randomized: number;
  /** Shares of them in the group's: of the organic ones' weights, and of the randomised ones. */
  readonly weightShare: number;
  readonly randomizedShare: number;
  /** Their difference in standard errors; NaN where the group has too little of either. */
  readonly z: number;
}
