import type { NumberCodec } from '../../state/binary/numbers.js';
import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { nameOf } from '../feedback/withhold.js';
import { laneWindow } from '../lanes/lane-window.js';
import type { ItemColumns } from '../lanes/selection.js';
import type { EstimateOptions } from '../options.js';
import { NumberedSums, type Rounds } from '../partitions/rounds.js';
import type { EstimateRow } from '../results/estimate.js';
import type { DrawnEstimate } from '../results/window-estimates.js';
import { intervened } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';
import { samplingKey } from './sampling-key.js';

/** Bits of a key's high word that a bin does not tell apart, of many keys and of few. */
const FINE_SHIFT = 9;
const COARSE_SHIFT = 15;
const MANY_KEYS = 1_000_000;

/**
 * Which bin of keys holds the k-th smallest, from a tally of all of them.
 *
 * Positive doubles have the order of their bits, so a histogram of the leading bits (the exponent
 * and 5 or 11 of the mantissa) finds the k smallest of any number of keys without keeping one: a
 * second pass over the keys of one bin, a few in a hundred or in ten thousand, finds the cut itself.
 * Source: radix selection. O(1) a key; 256 KB, or 16 MB above a million keys, whatever k is.
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
  /** Keys that were added: those of rows that can be drawn. */
  total = 0;

  /** @param expected how many keys there may be, which the fineness follows from. */
  constructor(expected: number) {
    this.#shift = expected > MANY_KEYS ? FINE_SHIFT : COARSE_SHIFT;
    this.#counts = new Uint32Array(2 ** (31 - this.#shift));
  }

  /** @param key above 0; an infinite one is not counted. */
  add(key: number): void {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#counts[this.bin(key)]++;
    this.total++;
  }

  /** Bin of a positive key; in the order of the keys. */
  bin(key: number): number {
    this.#bits.setFloat64(0, key);
    return this.#bits.getInt32(0) >>> this.#shift;
  }

  /** Takes the keys of others. @param others as fine as these. */
  merge(others: KeyTally): void {
    for (let bin = 0; bin < this.#counts.length; bin++) this.#counts[bin] += others.#counts[bin];
    this.total += others.total;
  }

  /** Writes or reads bins with keys. */
  pass(through: NumberCodec): void {
    this.total = through.number(this.total);
    const bins: number[] = [];
    this.#counts.forEach((count, bin) => {
      if (count > 0) bins.push(bin);
    });
    const size = through.number(bins.length);
    for (let n = 0; n < size; n++) {
      const bin = through.number(bins[n]);
      this.#counts[bin] = through.number(this.#counts[bin]);
    }
  }

  /**
   * The bin of the k-th smallest key, and how many keys lie in bins below it.
   *
   * @throws RangeError for a k that is not from 1 to `total`.
   */
  binOf(k: number): { readonly bin: number; readonly below: number } {
    let below = 0;
    for (let bin = 0; bin < this.#counts.length && k >= 1; bin++) {
      if (below + this.#counts[bin] >= k) return { bin, below };
      below += this.#counts[bin];
    }
    throw new RangeError(`k is ${k} of ${this.total} keys`);
  }
}

const COUNTS_SHAPE = 0x6b63_6e74;
const KEYS_SHAPE = 0x6b65_7973;
/** A few in a hundred keys share a bin, however many rows there are. */
const FEW = 0;

/** A row's key in a draw; rows whose keys are equal stand in the order of their ids' hashes. */
type RowKey = readonly [key: number, user: number, item: number];

/** How many keys lie where, of the draws of several interventions. */
class KeyCounts extends NumberedSums<KeyCounts> {
  readonly tallies: readonly KeyTally[];

  constructor(draws: number) {
    super(COUNTS_SHAPE + draws, 'any');
    this.tallies = Array.from({ length: draws }, () => new KeyTally(FEW));
  }

  ofOthers(): KeyCounts {
    return new KeyCounts(this.tallies.length);
  }

  merge({ tallies }: KeyCounts): void {
    this.tallies.forEach((own, n) => {
      own.merge(tallies[n]);
    });
  }

  pass(through: NumberCodec): void {
    for (const own of this.tallies) own.pass(through);
  }
}

/** The keys of the bin that the last row of each draw lies in. */
class BinKeys extends NumberedSums<BinKeys> {
  readonly lists: RowKey[][];

  constructor(draws: number) {
    super(KEYS_SHAPE + draws);
    this.lists = Array.from({ length: draws }, () => []);
  }

  /** The n-th smallest of a draw, from 1. */
  nth(draw: number, n: number): RowKey {
    return [...this.lists[draw]].sort(compareKeys)[n - 1];
  }

  ofOthers(): BinKeys {
    return new BinKeys(this.lists.length);
  }

  merge({ lists }: BinKeys): void {
    this.lists.forEach((own, n) => {
      for (const key of lists[n]) own.push(key);
    });
  }

  pass(through: NumberCodec): void {
    for (const list of this.lists) {
      const size = through.number(list.length);
      for (let n = 0; n < size; n++) {
        const [key, user, item] = list[n] ?? [0, 0, 0];
        list[n] = [through.number(key), through.number(user), through.number(item)];
      }
    }
  }
}

function compareKeys(a: RowKey, b: RowKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Draws test sets and measures each.
 *
 * A set holds the k rows with the least −ln(u) / w, k the share of the rows that the intervention
 * keeps, u a hash of seed, user and item: successive sampling without replacement, the same in every
 * run and however users are divided. Rows of equal hashes are in or out together.
 * Source: Efraimidis & Spirakis 2006; Carraro & Bridge 2020, section 5.3.
 *
 * @param options `draws` sets, the first with `seed`, the next with seed + 1, and so on.
 * @param parts organic rows, with keys of users. @param rounds bring the sums of all partitions
 * together: for each draw one round of keys by bin, one of the keys of one bin, and what estimates take.
 * @returns by intervention and number; O(draws · (rows + estimates)), yielding.
 */
export function* drawnEstimates(
  prepared: readonly PreparedIntervention[],
  parts: readonly WindowPart[],
  counts: ItemCounts,
  columns: ItemColumns,
  models: readonly string[],
  asked: EstimateOptions,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, DrawnEstimate[]> {
  const { draws = 0, seed = 1 } = asked;
  if (draws === 0 || prepared.length === 0) return [];
  const options: EstimateOptions = {
    ...asked,
    estimators: prepared.map(({ name }) => name),
    interval: 't-logit',
    guarantees: [],
    reference: '',
  };
  const values = new Map<string, { row: EstimateRow; values: number[] }>();
  for (let draw = 0; draw < draws; draw++) {
    const sets = yield* drawn(prepared, parts, counts.itemKey!, seed + draw, rounds);
    const { results } = yield* laneWindow(
      parts,
      columns,
      models,
      sets.map(intervened),
      options,
      sliceRows,
      false,
      rounds,
    );
    for (const row of results) {
      const key = nameOf(row);
      const known = values.get(key);
      if (known === undefined) values.set(key, { row, values: [row.value] });
      else known.values.push(row.value);
    }
  }
  return [...values.values()].map(summary);
}

/** By intervention 1 for the rows of its set, 0 for the others. */
function* drawn(
  prepared: readonly PreparedIntervention[],
  parts: readonly WindowPart[],
  itemKey: (item: number) => number,
  seed: number,
  rounds: Rounds,
): Generator<void, Map<WindowPart, Float64Array>[]> {
  const keys = prepared.map(() => new Map<WindowPart, Float64Array>());
  const { tallies } = yield* rounds.gather(
    new KeyCounts(prepared.length),
    parts,
    function* add(counts, part) {
      for (const [n, { sides }] of prepared.entries()) {
        const own = yield* keysOf(part, sides, itemKey, seed);
        keys[n].set(part, own);
        for (const key of own) counts.tallies[n].add(key);
      }
    },
  );
  const lasts = prepared.map(({ kept }, n) => lastOf(tallies[n], Math.round(kept)));
  const bins = yield* rounds.gather(new BinKeys(prepared.length), parts, function* list(own, part) {
    for (const [n, last] of lasts.entries()) {
      if (typeof last === 'number') continue;
      eachKey(part, keys[n].get(part)!, itemKey, (key) => {
        if (key[0] < Number.POSITIVE_INFINITY && tallies[n].bin(key[0]) === last.bin) {
          own.lists[n].push(key);
        }
      });
      yield;
    }
  });
  return prepared.map((_, n) => {
    const last = lasts[n];
    const cut: RowKey = typeof last === 'number' ? [last, 0, 0] : bins.nth(n, last.place);
    return new Map(parts.map((part) => [part, taken(part, keys[n].get(part)!, itemKey, cut)]));
  });
}

/** Where the last row of a set of k lies; a key that all or none are below, where none is the last. */
function lastOf(tally: KeyTally, k: number): { bin: number; place: number } | number {
  if (k < 1) return Number.NEGATIVE_INFINITY;
  if (k >= tally.total) return Number.MAX_VALUE;
  const { bin, below } = tally.binOf(k);
  return { bin, place: k - below };
}

function* keysOf(
  part: WindowPart,
  { userSides, itemSide }: PreparedIntervention['sides'],
  itemKey: (item: number) => number,
  seed: number,
): Generator<void, Float64Array> {
  const { users, userStart, rows, item, userKey } = part;
  const userSide = userSides?.get(part);
  const keys = new Float64Array(rows);
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const weight = (userSide?.[s] ?? 1) * itemSide[item[r]];
      keys[r] = samplingKey(seed, userKey![s], itemKey(item[r]), weight);
    }
    if (s % 1024 === 1023) yield;
  }
  return keys;
}

function eachKey(
  { users, userStart, item, userKey }: WindowPart,
  keys: Float64Array,
  itemKey: (item: number) => number,
  take: (key: RowKey, row: number) => void,
): void {
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      take([keys[r], userKey![s], itemKey(item[r])], r);
    }
  }
}

function taken(
  part: WindowPart,
  keys: Float64Array,
  itemKey: (item: number) => number,
  cut: RowKey,
): Float64Array {
  const set = new Float64Array(part.rows);
  eachKey(part, keys, itemKey, (key, row) => {
    if (compareKeys(key, cut) <= 0) set[row] = 1;
  });
  return set;
}

function summary({ row, values }: { row: EstimateRow; values: number[] }): DrawnEstimate {
  const { model, metric, k, estimator, form } = row;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const stdDev = values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
  return { model, metric, k, estimator, form, draws: values.length, mean, stdDev };
}
