import { byList, byRank, METRICS, type Metric } from '../estimators/metrics/registry.js';
import type { Lists } from './rankers.js';

/** True value of a metric for a model, over all relevant pairs, observed or not. */
export interface TrueValue {
  readonly model: string;
  readonly metric: Metric;
  /** Cut-off; null if the metric has none. */
  readonly k: number | null;
  /** `user`: mean over users of their mean gain; `pooled`: mean gain over all relevant pairs. */
  readonly aggregation: 'user' | 'pooled';
  readonly value: number;
}

interface Gain {
  readonly metric: Metric;
  readonly k: number | null;
  /** Gain λ at a 0-based rank z. */
  at(z: number): number;
}

/**
 * Gain λ(z) of every metric that is a mean of gains, with its cut-offs. Items outside the list have
 * gain 0.
 */
function gains(ks: readonly number[], items: number, listLength: number): Gain[] {
  const ranked = byRank(METRICS);
  const found: Gain[] = ranked
    .filter(([, { isUncut }]) => isUncut)
    .map(([metric, { gain }]) => ({
      metric,
      k: null,
      at: (z) => gain(z, Number.POSITIVE_INFINITY),
    }));
  for (const k of ks) {
    for (const [metric, { isCut, gain }] of ranked) {
      if (isCut) {
        found.push({
          metric,
          k,
          at: (z) => gain(z, k),
        });
      }
    }
  }
  // Metrics that depend on the length of the list have true values only for lists of the whole
  // catalogue.
  if (listLength !== items) return found;
  for (const [metric, { gain }] of byList(METRICS)) {
    found.push({
      metric,
      k: null,
      at: (z) => gain(z, items),
    });
  }
  return found;
}

/**
 * Compute the true values of every metric for one model.
 *
 * user: (1/U) Σ_u (1/|S_u|) Σ_{i∈S_u} λ(Z_ui); pooled: Σ_u Σ_{i∈S_u} λ(Z_ui) / Σ_u |S_u|, with Z_ui
 * the rank of item i in the list of user u.
 *
 * **Source**: Yang et al. 2018, equation 2, with S_u completely known.
 *
 * @param relevant S_u per user, none of them empty
 * @param lists the model's list per user, best first
 * @param ks cut-offs, for the metrics that have them
 * @param items size of the catalogue
 * @returns both aggregations of each metric; no users give NaN
 */
export function trueValues(
  model: string,
  relevant: readonly Int32Array[],
  lists: Lists,
  ks: readonly number[],
  items: number,
): TrueValue[] {
  const listLength = lists.length === 0 ? 0 : lists[0].length;
  const position = new Int32Array(items);
  const measured = gains(ks, items, listLength);
  const userSums = new Float64Array(measured.length);
  const pooledSums = new Float64Array(measured.length);
  let pairs = 0;
  relevant.forEach((own, user) => {
    position.fill(-1);
    lists[user].forEach((item, z) => {
      position[item] = z;
    });
    pairs += own.length;
    measured.forEach((gain, g) => {
      let sum = 0;
      for (const item of own) {
        if (position[item] >= 0) {
          sum += gain.at(position[item]);
        }
      }
      userSums[g] += sum / own.length;
      pooledSums[g] += sum;
    });
  });
  return measured.flatMap(({ metric, k }, g): TrueValue[] => [
    {
      model,
      metric,
      k,
      aggregation: 'user',
      value: userSums[g] / relevant.length,
    },
    {
      model,
      metric,
      k,
      aggregation: 'pooled',
      value: pooledSums[g] / pairs,
    },
  ]);
}
