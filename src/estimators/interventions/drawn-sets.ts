import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { nameOf } from '../feedback/withhold.js';
import { laneWindow } from '../lanes/lane-window.js';
import type { ItemColumns } from '../lanes/selection.js';
import type { EstimateOptions } from '../options.js';
import { BinKeys, compareKeys, KeyCounts, type RowKey } from '../partitions/drawn-keys.js';
import type { Rounds } from '../partitions/rounds.js';
import type { DrawnEstimate } from '../results/drawn-estimate.js';
import type { EstimateRow } from '../results/estimate.js';
import { intervened } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';
import type { KeyTally } from './key-tally.js';
import { samplingKey } from './sampling-key.js';

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
    ...{ interval: 't-logit', guarantees: [], reference: '' },
  };
  const values = new Map<string, { row: EstimateRow; values: number[] }>();
  for (let draw = 0; draw < draws; draw++) {
    const sets = yield* drawn(prepared, parts, counts.itemKey!, seed + draw, rounds);
    const { results } = yield* laneWindow(
      ...([
        parts,
        columns,
        models,
        sets.map(intervened),
        options,
        sliceRows,
        false,
        rounds,
      ] as const),
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
  return { ...{ model, metric, k, estimator, form }, draws: values.length, mean, stdDev };
}
