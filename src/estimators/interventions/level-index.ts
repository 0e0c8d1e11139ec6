/**
 * Index of distinct counts: `counts` lists them in ascending order, and `indexOf` gives the
 * position of a count in this list.
 */
export interface LevelIndex {
  readonly counts: Float64Array;
  indexOf(count: number): number;
}

/** Number the distinct values of a column in ascending order. */
export function levelIndex(values: Float64Array): LevelIndex {
  const distinct = new Set<number>();
  const small = new Int32Array(SMALL_COUNT);
  let most = -1;
  for (const n of values) {
    if (n < SMALL_COUNT && Math.trunc(n) === n) {
      small[n] = 1;
      if (n > most) {
        most = n;
      }
    } else {
      distinct.add(n);
    }
  }
  for (let n = 0; n <= most; n++) {
    if (small[n] === 1) {
      distinct.add(n);
    }
  }
  const counts = Float64Array.from(distinct).sort();
  const large = new Map<number, number>();
  counts.forEach((n, index) => {
    if (n < SMALL_COUNT && Math.trunc(n) === n) {
      small[n] = index;
    } else {
      large.set(n, index);
    }
  });
  return {
    counts,
    indexOf: (n) => (n < SMALL_COUNT && Math.trunc(n) === n ? small[n] : large.get(n)!),
  };
}

const SMALL_COUNT = 4096;
