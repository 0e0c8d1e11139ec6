/**
 * Lists of a learned baseline, one for each user whom it learned from, as arrays that a thread can
 * hand over. Lists are numbered as their users are; one more, the last, is for users it did not know.
 */
export interface LearnedLists {
  /** What it learned from ends before it, event time, ms. */
  readonly learnedTo: number;
  /** Users who lie less deep were left out of the learning, see `depthOf`; 0 where nobody was. */
  readonly level: number;
  /** `hash64` of the users' ids, ascending by the high half and then by the low one. */
  readonly userHigh: Int32Array;
  readonly userLow: Int32Array;
  /** List l is items[listStart[l]] .. items[listStart[l + 1] − 1], best first. */
  readonly listStart: Int32Array;
  /** Numbers of the baseline's own items. */
  readonly items: Int32Array;
  /** Predicted ratings, as `items`; undefined where scores predict none. */
  readonly scores?: Float32Array;
  /** How many items each list was ranked among. */
  readonly candidates: Int32Array;
  /** The ids of the items in UTF-8, one after the other: id i begins at itemStart[i]. */
  readonly itemBytes: Uint8Array;
  readonly itemStart: Int32Array;
}

/** Number of the list for users whom the baseline did not know. */
export function listOfOthers({ userHigh }: LearnedLists): number {
  return userHigh.length;
}

/**
 * Number of a user's list by bisection, so that nobody who chooses ids can make it slow. O(log U)
 *
 * @returns −1 for a user whom it did not learn from
 * @example
 * const [userHigh, userLow] = [Int32Array.of(-7, 3, 3), Int32Array.of(5, -1, 2)];
 * listOfUser({ userHigh, userLow }, 3, 2); // 2
 */
export function listOfUser(
  { userHigh, userLow }: Pick<LearnedLists, 'userHigh' | 'userLow'>,
  high: number,
  low: number,
): number {
  let from = 0;
  let to = userHigh.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const isBefore =
      userHigh[middle] < high || (userHigh[middle] === high && userLow[middle] < low);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  return userHigh[from] === high && userLow[from] === low ? from : -1;
}
