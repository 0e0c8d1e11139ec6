import type { WindowPart } from '../../state/panes/window-part.js';

/** Interaction counts below this are tallied in an array, others in a map. */
const FEW = 4096;

/**
 * Number of users with the same two counts: n interactions in the horizon, m of them from
 * randomised traffic.
 */
export interface AlikeUsers {
  readonly n: number;
  readonly m: number;
  users: number;
}

/** Tallies of a window's rows and users, which interventions need before they compute weights. */
export interface RowTallies {
  readonly rows: number;
  /** Number of rows by level of their item, see `LevelIndex`. */
  readonly byLevel: Float64Array;
  /** Number of users with a row. */
  readonly withRows: number;
  /** Number of interactions from randomised traffic, over all users. */
  readonly randomized: number;
  /** Numbers of users by their two counts, in ascending order of the counts. */
  readonly users: readonly AlikeUsers[];
}

/**
 * Tally the rows of a window by item level, and its users by their counts. O(rows + users).
 *
 * @param levelOf level by item. @param levels number of levels.
 */
export function rowTallies(
  { rows, users, userStart, userCount, userRandomized, item }: WindowPart,
  levelOf: Int32Array,
  levels: number,
): RowTallies {
  const byLevel = new Float64Array(levels);
  const alike = new UserCounts();
  let withRows = 0;
  let randomized = 0;
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      byLevel[levelOf[item[r]]]++;
    }
    if (userStart[s + 1] > userStart[s]) {
      withRows++;
    }
    randomized += userRandomized[s];
    alike.add(userCount[s], userRandomized[s]);
  }
  return {
    rows,
    byLevel,
    withRows,
    randomized,
    users: alike.ascending(),
  };
}

/** Tally of users by their two counts, see `AlikeUsers`. */
class UserCounts {
  /**
   * Number of users by n, for users with few interactions and none from randomised traffic: the
   * most common case.
   */
  readonly #plain = new Float64Array(FEW);
  readonly #others = new Map<string, AlikeUsers>();

  add(n: number, m: number): void {
    if (m === 0 && n < FEW && Number.isInteger(n)) {
      this.#plain[n]++;
      return;
    }
    const key = `${n} ${m}`;
    const known = this.#others.get(key);
    if (known === undefined) {
      this.#others.set(key, {
        n,
        m,
        users: 1,
      });
    } else {
      known.users++;
    }
  }

  ascending(): AlikeUsers[] {
    const users = [...this.#others.values()];
    this.#plain.forEach((alike, n) => {
      if (alike > 0) {
        users.push({
          n,
          m: 0,
          users: alike,
        });
      }
    });
    return users.sort((a, b) => a.n - b.n || a.m - b.m);
  }
}
