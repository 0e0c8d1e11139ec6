import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { nameOf } from '../feedback/withhold.js';
import type { LaneJob } from '../lanes/lane-job.js';
import { laneWindow } from '../lanes/lane-window.js';
import type { EstimateOptions } from '../options.js';
import type { EstimateRow } from '../results/estimate.js';
import type { DrawnEstimate } from '../results/window-estimates.js';
import { intervened } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';
import { samplingKey } from './sampling-key.js';

/**
 * The bin of a key is the upper 32 bits of the key without this number of low bits. Bins are fine
 * if more than `MANY_KEYS` keys are expected, otherwise coarse.
 */
const FINE_SHIFT = 9;
const COARSE_SHIFT = 15;
const MANY_KEYS = 1_000_000;

/**
 * Histogram of sampling keys that finds the bin of the k-th smallest key.
 *
 * Positive doubles have the order of their bits, so a histogram of the leading bits (the exponent
 * and 5 or 11 bits of the mantissa) locates the k-th smallest key without storing keys. A second
 * pass over the keys of one bin finds the exact cut.
 * Source: radix selection. O(1) per key; 256 KB, or 16 MB above a million keys.
 *
 * @example
 * const tally = new KeyTally(3);
 * for (const key of [0.1, 0.2, 0.4]) tally.add(key);
 * tally.binOf(2).below; // 1
 * tally.binOf(2).bin === tally.bin(0.2);
 */
export class KeyTally {
  readonly #shift: number;
  readonly #counts: Uint32Array;
  readonly #bits = new DataView(new ArrayBuffer(8));
  /** Number of finite keys added, which is the number of rows that can be drawn. */
  total = 0;

  /** @param expected estimated number of keys, which sets the resolution. */
  constructor(expected: number) {
    this.#shift = expected > MANY_KEYS ? FINE_SHIFT : COARSE_SHIFT;
    this.#counts = new Uint32Array(2 ** (31 - this.#shift));
  }

  /** Count a key. @param key above 0; Infinity is not counted. */
  add(key: number): void {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#counts[this.bin(key)]++;
    this.total++;
  }

  /** Number of the bin that contains a positive key. Bins have the order of the keys. */
  bin(key: number): number {
    this.#bits.setFloat64(0, key);
    return this.#bits.getInt32(0) >>> this.#shift;
  }

  /**
   * Find the bin of the k-th smallest key, and the number of keys in the bins below it.
   *
   * @throws RangeError for a k that is not from 1 to `total`.
   */
  binOf(k: number): {
    readonly bin: number;
    readonly below: number;
  } {
    let below = 0;
    for (let bin = 0; bin < this.#counts.length && k >= 1; bin++) {
      if (below + this.#counts[bin] >= k) return { bin, below };
      below += this.#counts[bin];
    }
    throw new RangeError(`k is ${k} of ${this.total} keys`);
  }
}

/**
 * Number of keys that a `KeyTally` is built for. 0 selects coarse bins, each with a few per cent of
 * the keys.
 */
const FEW = 0;

/** Key of a row in a draw. Rows with equal keys are ordered by the hashes of their ids. */
type RowKey = readonly [key: number, user: number, item: number];

function compareKeys(a: RowKey, b: RowKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Draw random test sets by each intervention, and summarise every estimate over the sets.
 *
 * A set contains the k rows with the smallest −ln(u) / w, where k is the number of rows that the
 * intervention keeps, w a row's sampling weight, and u a hash of seed, user and item. This is
 * successive sampling without replacement, reproducible and independent of the order of users. Rows
 * with equal hashes are in or out together.
 * Source: Efraimidis & Spirakis 2006; Carraro & Bridge 2020, section 5.3.
 *
 * @param job organic rows with user keys. Its options give the number of `draws` and the first
 * `seed`; each further set uses the next seed. @param itemKey hash of an item's id.
 * @returns mean and standard deviation of each estimate over the sets; O(draws · (rows +
 * estimates)).
 */
export function drawnEstimates(
  prepared: readonly PreparedIntervention[],
  job: LaneJob,
  itemKey: ItemCounts['itemKey'],
): DrawnEstimate[] {
  const { draws = 0, seed = 1 } = job.options;
  if (draws === 0 || prepared.length === 0) return [];
  const options: EstimateOptions = {
    ...job.options,
    estimators: prepared.map(({ name }) => name),
    interval: 't-logit',
    guarantees: [],
    reference: '',
  };
  const values = new Map<
    string,
    {
      row: EstimateRow;
      values: number[];
    }
  >();
  for (let draw = 0; draw < draws; draw++) {
    const rules = prepared.map((own) =>
      intervened({
        of: 'row',
        values: drawnSet(own, job.part, itemKey!, seed + draw),
      }),
    );
    const { results } = laneWindow(
      {
        ...job,
        options,
        isUnsummarised: true,
      },
      rules,
    );
    for (const row of results) {
      const key = nameOf(row);
      const known = values.get(key);
      if (known === undefined) {
        values.set(key, {
          row,
          values: [row.value],
        });
      } else {
        known.values.push(row.value);
      }
    }
  }
  return [...values.values()].map(summary);
}

/**
 * Draw one set of rows. @returns 1 for each row of the part that is in the set, 0 for the others.
 */
function drawnSet(
  { sides, kept }: PreparedIntervention,
  part: WindowPart,
  itemKey: (item: number) => number,
  seed: number,
): Float64Array {
  const keys = keysOf(part, sides, itemKey, seed);
  const tally = new KeyTally(FEW);
  for (const key of keys) {
    tally.add(key);
  }
  const keyed = {
    part,
    keys,
    itemKey,
  };
  const last = lastKey(keyed, tally, Math.round(kept));
  const set = new Float64Array(part.rows);
  eachKey(keyed, (key, row) => {
    if (compareKeys(key, last) <= 0) {
      set[row] = 1;
    }
  });
  return set;
}

/**
 * Key of the last row in a set of k rows. For k < 1 the result is below all keys. If k is at least
 * the number of keys, it is at least as large as every finite key.
 */
function lastKey(rows: KeyedRows, tally: KeyTally, k: number): RowKey {
  if (k < 1) return [Number.NEGATIVE_INFINITY, 0, 0];
  if (k >= tally.total) return [Number.MAX_VALUE, 0, 0];
  const { bin, below } = tally.binOf(k);
  const inBin: RowKey[] = [];
  eachKey(rows, (key) => {
    if (key[0] < Number.POSITIVE_INFINITY && tally.bin(key[0]) === bin) {
      inBin.push(key);
    }
  });
  return inBin.sort(compareKeys)[k - below - 1];
}

function keysOf(
  part: WindowPart,
  { userSide, itemSide }: PreparedIntervention['sides'],
  itemKey: (item: number) => number,
  seed: number,
): Float64Array {
  const { users, userStart, rows, item, userKey } = part;
  const keys = new Float64Array(rows);
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const weight = (userSide?.[s] ?? 1) * itemSide[item[r]];
      keys[r] = samplingKey(seed, userKey![s], itemKey(item[r]), weight);
    }
  }
  return keys;
}

/** Rows of a window with their sampling keys in one draw. */
interface KeyedRows {
  readonly part: WindowPart;
  readonly keys: Float64Array;
  readonly itemKey: (item: number) => number;
}

function eachKey(
  { part, keys, itemKey }: KeyedRows,
  take: (key: RowKey, row: number) => void,
): void {
  const { users, userStart, item, userKey } = part;
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      take([keys[r], userKey![s], itemKey(item[r])], r);
    }
  }
}

function summary({ row, values }: { row: EstimateRow; values: number[] }): DrawnEstimate {
  const { model, metric, k, estimator, form } = row;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const stdDev = values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
  return {
    model,
    metric,
    k,
    estimator,
    form,
    draws: values.length,
    mean,
    stdDev,
  };
}
