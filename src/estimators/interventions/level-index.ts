/** Dense numbers for distinct counts, ascending by count. */
export interface LevelIndex {
  readonly counts: Float64Array;
  indexOf(count: number): number;
}

/** Numbers the distinct values of a column in ascending order; yields between slices. */
export function* levelIndex(values: Float64Array): Generator<void, LevelIndex> {
  const distinct = new Set<number>();
  const small = new Int32Array(SMALL_COUNT);
  let most = -1;
  for (let from = 0; from < values.length; from += SLICE) {
    const to = Math.min(values.length, from + SLICE);
    for (let i = from; i < to; i++) {
      const n = values[i];
      if (n < SMALL_COUNT && Math.trunc(n) === n) {
        small[n] = 1;
        if (n > most) {
          most = n;
        }
      } else {
        distinct.add(n);
      }
    }
    yield;
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
/** Counts between two yields: about a millisecond. */
const SLICE = 32_768;
