import { enlarged } from '../../events/column-table.js';
/**
 * Number of items, and sums of powers of their responses R_i, by level. A level is the items with
 * the same count n > 0; levels ascend by n.
 */
export interface ResponseLevels {
  /** n, the count of each level. */
  readonly count: Float64Array;
  /** Number of items of each level. */
  readonly items: Float64Array;
  /** Σ R_i, Σ R_i², Σ R_i³, Σ R_i⁴ over the items of the level. */
  readonly sums: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
}

/** Counts below this are looked up in an array instead of a map. */
const SMALL_COUNT = 4096;
/** Fields per level: number of items, ΣR, ΣR², ΣR³, ΣR⁴. */
const FIELDS = 5;

/**
 * Sum powers of item responses by level of popularity.
 *
 * Σ_{i : n_i = n} R_i^p, p = 0 … 4. Source: own. O(I) and a sort of the levels.
 *
 * @param counts n_i per item (events); only counts above 0 are used.
 * @param responses R_i per item (events). @param items number of items I to read.
 * @example
 * responseLevels(Float64Array.of(1, 2, 2), Float64Array.of(5, 1, 3), 3).sums[1]; // [25, 10]
 */
export function responseLevels(
  counts: ArrayLike<number>,
  responses: ArrayLike<number>,
  items: number,
): ResponseLevels {
  const places = new Int32Array(SMALL_COUNT);
  const large = new Map<number, number>();
  const found: number[] = [];
  let cells = new Float64Array(256 * FIELDS);
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    const isSmall = n < SMALL_COUNT && Math.trunc(n) === n;
    let place = isSmall ? places[n] : (large.get(n) ?? 0);
    if (place === 0) {
      place = found.push(n);
      if (isSmall) {
        places[n] = place;
      } else {
        large.set(n, place);
      }
      if (place * FIELDS > cells.length) {
        cells = enlarged(cells, cells.length * 2);
      }
    }
    let power = 1;
    const end = place * FIELDS;
    for (let at = end - FIELDS; at < end; at++) {
      cells[at] += power;
      power *= responses[item];
    }
  }
  const order = [...found.keys()].sort((a, b) => found[a] - found[b]);
  const column = (field: number) => Float64Array.from(order, (j) => cells[j * FIELDS + field]);
  return {
    count: Float64Array.from(order, (j) => found[j]),
    items: column(0),
    sums: [column(1), column(2), column(3), column(4)],
  };
}
