import type { WindowPart } from '../../state/panes/window-part.js';

/** Counts below this are tallied in an array. */
const FEW = 4096;

/** Users with the same counts: n interactions, m of them from randomised traffic. */
export interface AlikeUsers {
  readonly n: number;
  readonly m: number;
  users: number;
}

/** Tallies of the rows that interventions need before they compute weights. */
export interface RowTallies {
  readonly rows: number;
  /** Rows by level of their item. */
  readonly byLevel: Float64Array;
  /** Users with a row. */
  readonly withRows: number;
  /** Interactions of all users from randomised traffic. */
  readonly randomized: number;
  /** Users by their counts, ascending. */
  readonly users: readonly AlikeUsers[];
}

/** Tally rows and users, O(rows + users). @param levelOf level by item. @param levels number of levels. */
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

/** Users by their counts. */
class UserCounts {
  /** By n: users without randomised traffic and with few interactions, the most common case. */
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
