/**
 * Popularity levels: the distinct counts of a catalogue with the number of items at each. Figures
 * of concentration are computed from them.
 */

/** Distinct counts of items, with the number of items at each. */
export interface Levels {
  /** Distinct counts above 0, ascending. */
  readonly count: Float64Array;
  /** Number of items at each of those counts, m_n. */
  readonly items: Float64Array;
  /** Number of items with a count above 0, T(0). */
  readonly seen: number;
  /** Sum of all counts. */
  readonly total: number;
}

/**
 * List the distinct counts n > 0, ascending, with the number of items at each.
 *
 * m_n = #{i : n_i = n}.
 * Source: own bookkeeping for Yang et al. 2018, eq. 20. O(I) plus a sort of the distinct counts.
 *
 * @param counts n_i ≥ 0 per item (events), at least `items` long; integers stay exact.
 * @param items number of items I to read.
 * @returns empty arrays and zeros if nothing was counted.
 * @example
 * levelsOf(Float64Array.of(3, 0, 1, 3), 4); // { count: [1, 3], items: [1, 2], seen: 3, total: 7 }
 */
export function levelsOf(counts: Float64Array, items: number): Levels {
  // Most items of a long tail have small counts. Their items are tallied, so that each small count
  // is sorted only once.
  const small = new Float64Array(SMALL_COUNT);
  const values = new Float64Array(items);
  let size = 0;
  let seen = 0;
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    seen++;
    if (!isSmall(n)) {
      values[size++] = n;
    } else if (++small[n] === 1) {
      values[size++] = n;
    }
  }
  const sorted = values.subarray(0, size).sort();
  const count = new Float64Array(size);
  const itemsAt = new Float64Array(size);
  let levels = 0;
  // The sum is by level, so that its rounding does not depend on the order of items.
  let total = 0;
  for (let at = 0; at < size; levels++) {
    const n = sorted[at];
    count[levels] = n;
    if (isSmall(n)) {
      itemsAt[levels] = small[n];
    }
    while (at < size && sorted[at] === n) {
      at++;
      if (!isSmall(n)) {
        itemsAt[levels]++;
      }
    }
    total += n * itemsAt[levels];
  }
  return {
    count: count.subarray(0, levels),
    items: itemsAt.subarray(0, levels),
    seen,
    total,
  };
}

function isSmall(n: number): boolean {
  return n < SMALL_COUNT && Math.trunc(n) === n;
}

const SMALL_COUNT = 4096;

/** Figures of concentration, in [0, 1] except for the total and the entropy. */
export interface LevelConcentration {
  readonly total: number;
  readonly gini: number;
  readonly hhi: number;
  readonly coverage: number;
  readonly entropy: number;
  readonly topShare: number;
}

/**
 * Concentration of counts over a catalogue, items without a count included.
 *
 * With T(n) = #{i : n_i > n}, M the catalogue size and Σn the total:
 * gini = 1 − Σ_{n ≥ 0} T(n)² / (M Σn); hhi = Σ (n_i / Σn)²; coverage = T(0) / M;
 * entropy = ln Σn − Σ n_i ln n_i / Σn (nats); topShare = Σ_{n ≥ 0} min(k, T(n)) / Σn with
 * k = max(1, ⌊M / 100⌋).
 * Source: Gini as the mean absolute difference over all M items (division by M, not M − 1);
 * Herfindahl–Hirschman; Shannon. Each figure lies in [0, 1] but entropy, in [0, ln M].
 *
 * @param counts n_i per item (events). @param items number of items to read.
 * @param catalogueSize M; if fewer than the items with a count, their number is used.
 * @returns zeros if nothing was counted.
 * @example
 * concentration(Float64Array.of(1, 1, 2), 3, 4).coverage; // 0.75
 */
export function concentration(
  counts: Float64Array,
  items: number,
  catalogueSize: number,
): LevelConcentration {
  return levelConcentration(levelsOf(counts, items), catalogueSize);
}

/** Compute `concentration` from levels. O(levels). */
export function levelConcentration(levels: Levels, catalogueSize: number): LevelConcentration {
  const { total, seen } = levels;
  if (total === 0) {
    return {
      total: 0,
      gini: 0,
      hhi: 0,
      coverage: 0,
      entropy: 0,
      topShare: 0,
    };
  }
  const size = Math.max(catalogueSize, seen);
  const top = Math.max(1, Math.floor(size / 100));
  let tailSquares = 0;
  let topTotal = 0;
  let squares = 0;
  let logs = 0;
  let tail = seen;
  let below = 0;
  for (let j = 0; j < levels.count.length; j++) {
    const n = levels.count[j];
    // T is constant from one level up to the next.
    tailSquares += tail * tail * (n - below);
    topTotal += Math.min(top, tail) * (n - below);
    squares += levels.items[j] * n * n;
    logs += levels.items[j] * n * Math.log(n);
    tail -= levels.items[j];
    below = n;
  }
  return {
    total,
    gini: 1 - tailSquares / (size * total),
    hhi: squares / (total * total),
    coverage: seen / size,
    entropy: Math.max(0, Math.log(total) - logs / total),
    topShare: topTotal / total,
  };
}

/**
 * Mean popularity of the counted items.
 *
 * Σ_i N_i n_i / Σ_i N_i, unnormalised (in interactions).
 * Source: average recommendation popularity (ARP), weighted by exposures. O(I).
 *
 * @param counts N_i per item (exposures or interactions). @param popularity n_i per item.
 * @param items number of items to read. @returns 0 if nothing was counted.
 * @example
 * averagePopularity(Float64Array.of(1, 3), Float64Array.of(10, 2), 2); // 4
 */
export function averagePopularity(
  counts: Float64Array,
  popularity: Float64Array,
  items: number,
): number {
  let total = 0;
  let weighted = 0;
  for (let item = 0; item < items; item++) {
    total += counts[item];
    weighted += counts[item] * popularity[item];
  }
  return total === 0 ? 0 : weighted / total;
}

/** Number of intervals of a Lorenz curve, which has one point more. */
const LORENZ_PARTS = 100;

/**
 * Lorenz curve of counts over a catalogue, items without a count included.
 *
 * L(p) = share of the total in the least counted share p of the items, for p = 0, 0.01, …, 1,
 * linearly interpolated between items. 1 − 2 ∫ L is the Gini index of `concentration`.
 * Source: Lorenz 1905. O(levels).
 *
 * @param levels of the counts. @param catalogueSize M; if fewer than the items with a count, their
 * number is used.
 * @returns 101 shares, ascending and convex; empty if nothing was counted.
 * @example
 * lorenzCurve(levelsOf(Float64Array.of(1, 3), 2), 2)[50]; // 0.25
 */
export function lorenzCurve(
  { count, items, seen, total }: Levels,
  catalogueSize: number,
): readonly number[] {
  if (total === 0) return [];
  const size = Math.max(catalogueSize, seen);
  const curve: number[] = [];
  // Number and sum of the items below the current level, starting with those without a count.
  let itemsBelow = size - seen;
  let sumBelow = 0;
  let level = 0;
  for (let part = 0; part < LORENZ_PARTS; part++) {
    const wanted = (part * size) / LORENZ_PARTS;
    while (level < count.length && itemsBelow + items[level] <= wanted) {
      itemsBelow += items[level];
      sumBelow += items[level] * count[level++];
    }
    const into = level < count.length ? Math.max(0, wanted - itemsBelow) * count[level] : 0;
    curve.push((sumBelow + into) / total);
  }
  return [...curve, 1];
}
