import { metricOf } from '../../estimators/metrics/registry.js';
import type { PlausibleGamma } from '../../estimators/propensity/gamma-error.js';
import {
  type ColdItems,
  importanceWeight,
  propensityExponent,
} from '../../estimators/propensity/power-law.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { LIST_SAMPLED_FULL, NOT_IN_LIST, UNRANKED } from '../../state/panes/window-part.js';
import type { AddedRows } from './added-rows.js';
import type { DecisionOptions } from './decision-options.js';
import { ESTIMATE_POINT, groupOf, POINTS, UNCORRECTED_POINT } from './running-sums.js';

/** Exponent that corrects nothing. */
const NO_CORRECTION = -1;

/** γ by the points of the sums. */
export function gammaPoints(gamma: number, { lower, upper }: PlausibleGamma): number[] {
  const points = new Array<number>(POINTS);
  points[UNCORRECTED_POINT] = NO_CORRECTION;
  points[ESTIMATE_POINT - 1] = lower;
  points[ESTIMATE_POINT] = gamma;
  points[ESTIMATE_POINT + 1] = upper;
  return points;
}

/**
 * What an item's rows weigh at each γ.
 *
 *   w_i = (n_i / Σn)^−β
 *
 * By shares: counts of a horizon that is still filling would let its first panes outweigh all others.
 */
export class PointWeights {
  readonly #popularity: Float64Array;
  readonly #weightOf: readonly ((count: number) => number)[];
  readonly #scale: readonly number[];
  readonly #weights = new Float64Array(POINTS);

  constructor(popularity: Float64Array, gammas: readonly number[], cold: ColdItems) {
    const total = popularity.reduce((sum, count) => sum + count, 0);
    const betas = gammas.map(propensityExponent);
    this.#popularity = popularity;
    this.#weightOf = betas.map((beta) => importanceWeight(beta, cold));
    this.#scale = betas.map((beta) => Math.max(1, total) ** beta);
  }

  /** Overwritten by the next call. */
  of(item: number): Float64Array {
    const count = this.#popularity[item];
    for (let p = 0; p < POINTS; p++) this.#weights[p] = this.#weightOf[p](count) * this.#scale[p];
    return this.#weights;
  }
}

/** A model with its dense number and its place in the sums. */
export interface PlacedModel {
  readonly id: number;
  readonly place: number;
}

/** Takes in rows of a pane for all models that rank them. */
export function addRows(
  sums: AddedRows,
  pane: PaneRows,
  rows: readonly number[],
  models: readonly PlacedModel[],
  weights: PointWeights,
  keyOf: (user: number) => number,
  { metric: { metric, k } }: DecisionOptions,
): void {
  const entry = metricOf(metric);
  if (entry.kind !== 'rank') throw new RangeError(`${metric} is no gain by rank`);
  const places = new Int32Array(models.length);
  const gains = new Float64Array(models.length);
  const depth = k ?? Number.POSITIVE_INFINITY;
  for (const row of rows) {
    let count = 0;
    for (const { id, place } of models) {
      const rank = pane.ranks[id]?.[row] ?? UNRANKED;
      if (rank === UNRANKED || isSampled(pane.lists[id]![row])) continue;
      places[count] = place;
      gains[count++] = rank === NOT_IN_LIST ? 0 : entry.gain(rank, depth);
    }
    const group = groupOf(keyOf(pane.user[row]));
    sums.add(group, weights.of(pane.item[row]), places, gains, count);
  }
}

function isSampled(list: number): boolean {
  return (list & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL;
}
