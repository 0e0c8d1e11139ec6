/** What a window holds of randomised traffic. */
export interface RandomizedTraffic {
  /** Interactions in the popularity horizon: what wtd takes its targets from. */
  readonly interactions: number;
  /** Users whom it reached in the window, by a list or an interaction. */
  readonly users: number;
  /** Items that its lists showed in the window; NaN where not all of its lists are logged. */
  readonly itemsShown: number;
  /** Pairs of the window with a positive interaction from it: what ure is measured on. */
  readonly positives: number;
  /** Users who have such a pair. */
  readonly usersWithPositive: number;
  /** Share of the users reached who have none, and so no part in ure; NaN where none was reached. */
  readonly withoutPositive: number;
}
