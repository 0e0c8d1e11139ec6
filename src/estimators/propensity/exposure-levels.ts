/**
 * Exposures of items by level of their lagged count, ascending; only items with a count above 0.
 */
export interface ExposureLevels {
  /** n, the lagged count of each level. */
  readonly count: Float64Array;
  /** m_n, the number of items of each level. */
  readonly items: Float64Array;
  /** F_n = Σ N_i over the items of the level, with N_i the exposures of item i. */
  readonly exposures: Float64Array;
  /** Σ N_i² over the items of the level. */
  readonly squares: Float64Array;
}

/** Bins per octave for counts that are not whole numbers; counts in one bin differ by up to 9 %. */
const BINS_PER_OCTAVE = 8;

/**
 * Sum the exposures of items by level of popularity.
 *
 * F_n = Σ_{i : n_i = n} N_i, m_n = #{i : n_i = n}.
 * Source: Yang et al. 2018, eq. 20. O(I) and a sort of the levels.
 *
 * Decayed counts are not whole numbers, and few items share one. A level is then a bin of ln n, an
 * eighth of ln 2 wide, located at the geometric mean of its counts.
 *
 * @param counts n_i per item; only counts above 0 are used. @param exposures N_i per item.
 * @param items number of items I.
 * @returns empty columns if no count is above 0.
 * @example
 * exposureLevels(Float64Array.of(1, 2, 2), Float64Array.of(5, 1, 3), 3).exposures; // [5, 4]
 */
export function exposureLevels(
  counts: Float64Array,
  exposures: Float64Array,
  items: number,
): ExposureLevels {
  const levelOf = hasFractions(counts, items) ? binOf : (n: number) => n;
  const levels = new Map<number, Level>();
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    const key = levelOf(n);
    let level = levels.get(key);
    if (level === undefined) {
      level = {
        first: n,
        logs: 0,
        items: 0,
        exposures: 0,
        squares: 0,
      };
      levels.set(key, level);
    }
    level.items++;
    level.logs += n === level.first ? 0 : Math.log(n / level.first);
    level.exposures += exposures[item];
    level.squares += exposures[item] ** 2;
  }
  const sorted = [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
  return {
    // Written so that equal counts give exactly their value.
    count: Float64Array.from(sorted, ({ first, logs, items }) => first * Math.exp(logs / items)),
    items: Float64Array.from(sorted, (level) => level.items),
    exposures: Float64Array.from(sorted, (level) => level.exposures),
    squares: Float64Array.from(sorted, (level) => level.squares),
  };
}

interface Level {
  readonly first: number;
  /** Σ ln (n / first) over the items of the level. */
  logs: number;
  items: number;
  exposures: number;
  squares: number;
}

function hasFractions(counts: Float64Array, items: number): boolean {
  for (let item = 0; item < items; item++) {
    if (counts[item] > 0 && !Number.isInteger(counts[item])) return true;
  }
  return false;
}

function binOf(n: number): number {
  return Math.floor(BINS_PER_OCTAVE * Math.log2(n));
}
