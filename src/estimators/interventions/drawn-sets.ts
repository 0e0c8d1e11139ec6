import { BottomK } from '../../sampling/bottom-k.js';
import { samplingKey } from '../../sampling/sampling-key.js';
import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { laneWindow } from '../lanes/lane-window.js';
import type { EstimateOptions } from '../options.js';
import { interventionOf } from '../registry/registry.js';
import type { DrawnEstimate } from '../results/drawn-estimate.js';
import type { Estimate } from '../results/estimate.js';
import type { ItemColumns } from '../rows/selection.js';
import { intervened } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';

/**
 * Draws test sets and measures each.
 *
 * A set holds the k rows with the least −ln(u) / w, k the share of the rows that the intervention
 * keeps, u a hash of seed, user and item: successive sampling without replacement, the same in every
 * run and however users are divided.
 * Source: Efraimidis & Spirakis 2006; Carraro & Bridge 2020, section 5.3.
 *
 * @param options `draws` sets, the first with `seed`, the next with seed + 1, and so on.
 * @param parts organic rows, with keys of users.
 * @returns by intervention and number; O(draws · (rows · log k + estimates)), yielding.
 */
export function* drawnEstimates(
  prepared: readonly PreparedIntervention[],
  parts: readonly WindowPart[],
  counts: ItemCounts,
  columns: ItemColumns,
  models: readonly string[],
  asked: EstimateOptions,
  sliceRows: number,
): Generator<void, DrawnEstimate[]> {
  const { draws = 0, seed = 1 } = asked;
  if (draws === 0 || prepared.length === 0) return [];
  const options: EstimateOptions = {
    ...asked,
    estimators: prepared.map(({ name }) => name),
    ...{ interval: 't-logit', guarantees: [], reference: '' },
  };
  const values = new Map<string, { row: Estimate; values: number[] }>();
  for (let draw = 0; draw < draws; draw++) {
    const rules = [];
    for (const own of prepared) {
      rules.push(intervened(yield* drawn(own, parts, counts, asked, seed + draw)));
    }
    const { results } = yield* laneWindow(parts, columns, models, rules, options, sliceRows);
    for (const row of results) {
      const { model, metric, k, estimator, aggregation } = row;
      const key = JSON.stringify([model, metric, k, estimator, aggregation]);
      const known = values.get(key);
      if (known === undefined) values.set(key, { row, values: [row.value] });
      else known.values.push(row.value);
    }
  }
  return [...values.values()].map(summary);
}

/** 1 for the rows of a set, 0 for the others. */
function* drawn(
  { name, sides }: PreparedIntervention,
  parts: readonly WindowPart[],
  { itemKey }: ItemCounts,
  { sampleShare }: EstimateOptions,
  seed: number,
): Generator<void, Map<WindowPart, Float64Array>> {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const sample = new BottomK(Math.round(interventionOf(name).keepsAll ? rows : sampleShare * rows));
  for (const [p, part] of parts.entries()) {
    const { userStart, item, userKey } = part;
    const userSide = sides.userSides?.get(part);
    for (let s = 0; s < part.users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        const weight = (userSide?.[s] ?? 1) * sides.itemSide[item[r]];
        sample.add(samplingKey(seed, userKey![s], itemKey!(item[r]), weight), p, r);
      }
      if (s % 1024 === 1023) yield;
    }
  }
  const taken = parts.map(({ rows: own }) => new Float64Array(own));
  for (const { idHigh: p, idLow: r } of sample.rows()) taken[p][r] = 1;
  yield;
  return new Map(parts.map((part, p) => [part, taken[p]]));
}

function summary({ row, values }: { row: Estimate; values: number[] }): DrawnEstimate {
  const { model, metric, k, estimator, aggregation } = row;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const stdDev = values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
  return { ...{ model, metric, k, estimator, aggregation }, draws: values.length, mean, stdDev };
}
