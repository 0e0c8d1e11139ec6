import { metricOf } from '../../estimators/metrics/registry.js';
import type { PlausibleGamma } from '../../estimators/propensity/gamma-error.js';
import {
  type ColdItems,
  importanceWeight,
  propensityExponent,
} from '../../estimators/propensity/power-law.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { LIST_SAMPLED_FULL, NOT_IN_LIST, UNRANKED } from '../../state/panes/window-part.js';
import type { DecisionOptions } from './decision-options.js';
import {
  ESTIMATE_POINT,
  groupOf,
  POINTS,
  type RowGains,
  type RunningSums,
  UNCORRECTED_POINT,
} from './running-sums.js';

/** The γ at which nothing is corrected. */
const NO_CORRECTION = -1;

/**
 * γ of the weightings, in the order of the sums: no correction, then the lower limit, the value and
 * the upper limit of γ.
 */
export function gammaPoints(gamma: number, { lower, upper }: PlausibleGamma): number[] {
  const points = new Array<number>(POINTS);
  points[UNCORRECTED_POINT] = NO_CORRECTION;
  points[ESTIMATE_POINT - 1] = lower;
  points[ESTIMATE_POINT] = gamma;
  points[ESTIMATE_POINT + 1] = upper;
  return points;
}

/**
 * Weight of an item's rows at each γ.
 *
 *   w_i = (n_i / Σn)^−β
 *
 * with n_i the item's count and β the propensity exponent at γ. The share n_i / Σn is used because
 * counts grow while the horizon fills, and rows of the first panes would dominate.
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

  /** Weights of the rows of an item, one per γ; the next call overwrites the result. */
  of(item: number): Float64Array {
    const count = this.#popularity[item];
    for (let p = 0; p < POINTS; p++) {
      this.#weights[p] = this.#weightOf[p](count) * this.#scale[p];
    }
    return this.#weights;
  }
}

/** A model with its dense number and its index in the sums. */
export interface PlacedModel {
  readonly id: number;
  readonly place: number;
}

/** Rows of a pane to add, with their weights. */
interface CountedRows {
  readonly rows: readonly number[];
  readonly weights: PointWeights;
  readonly models: readonly PlacedModel[];
  /** A hash of the user's id. */
  readonly keyOf: (user: number) => number;
  readonly metric: DecisionOptions['metric'];
}

/** Add rows of a pane for all models that rank them. */
export function addRows(
  sums: RunningSums,
  pane: PaneRows,
  { rows, weights, models, keyOf, metric: { metric, k } }: CountedRows,
): void {
  const entry = metricOf(metric);
  if (entry.kind !== 'rank') throw new RangeError(`${metric} is not a gain by rank`);
  const ranked: RowGains = {
    count: 0,
    places: new Int32Array(models.length),
    gains: new Float64Array(models.length),
  };
  const depth = k ?? Number.POSITIVE_INFINITY;
  for (const row of rows) {
    ranked.count = 0;
    for (const { id, place } of models) {
      const rank = pane.ranks[id]?.[row] ?? UNRANKED;
      if (rank === UNRANKED || isSampled(pane.lists[id]![row])) continue;
      ranked.places[ranked.count] = place;
      ranked.gains[ranked.count++] = rank === NOT_IN_LIST ? 0 : entry.gain(rank, depth);
    }
    const group = groupOf(keyOf(pane.user[row]));
    sums.add(group, weights.of(pane.item[row]), ranked);
  }
}

function isSampled(list: number): boolean {
  return (list & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL;
}
