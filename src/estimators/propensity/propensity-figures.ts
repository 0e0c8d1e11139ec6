import type { RidgeScore } from './cross-validate.js';
import type { PairDesign } from './pair-design.js';
import type { OtherKind } from './used-propensities.js';

/** Differences between ΣP and the number of observed ratings. */
interface Margins {
  /** ΣP over all pairs minus the number of observed ratings. */
  readonly total: number;
  /** Largest absolute difference between one user's ΣP and its number of ratings. */
  readonly users: number;
  /** Largest absolute difference between one item's ΣP and its number of ratings. */
  readonly items: number;
}

/** Point of a reliability diagram: a tenth of the pairs, ordered by P. */
interface ReliabilityBin {
  /** Number of pairs, scaled up if negatives are sampled. */
  readonly pairs: number;
  /** Mean P. */
  readonly expected: number;
  /** Share of these pairs that is observed. */
  readonly observed: number;
}

const BINS = 10;

/**
 * Compare learned propensities with the observed ratings, by user, by item and by level of P.
 *
 * Margins: Σ_i P_ui − Σ_i O_ui for users, likewise for items; a negative sampled at rate q counts 1
 * / q. Reliability: mean of P and of O by tenths of the pairs, from the lowest P.
 * Source: DeGroot & Fienberg 1983 (reliability). A regression with offsets has margins of 0 by
 * construction; if they are not 0, IPS overcounts the ratings of some item.
 *
 * @param propensity P of each pair, in the order of the design. O(pairs · log pairs).
 * @returns at most ten bins; tenths without pairs are omitted.
 * @example
 * const design = pairDesign([[0], []], 1);
 * fitFigures(design, [0.5, 0.25]).margins.total; // -0.25
 */
export function fitFigures(
  design: PairDesign,
  propensity: ArrayLike<number>,
): {
  readonly margins: Margins;
  readonly reliability: readonly ReliabilityBin[];
} {
  const users = new Float64Array(design.users);
  const items = new Float64Array(design.items);
  let total = 0;
  for (let user = 0; user < design.users; user++) {
    for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
      const excess = weightOf(design, pair) * propensity[pair] - design.isObserved[pair];
      users[user] += excess;
      items[design.item[pair]] += excess;
      total += excess;
    }
  }
  const margins = {
    total,
    users: largest(users),
    items: largest(items),
  };
  return {
    margins,
    reliability: reliability(design, propensity),
  };
}

/**
 * Sum P by item over all users of a design; a negative sampled at rate q counts 1 / q.
 *
 * @param propensity P of each pair, in the order of the design. O(pairs).
 * @example
 * itemSums(pairDesign([[0], []], 2), [0.5, 0.25, 0.25, 0.25]); // [0.75, 0.5]
 */
export function itemSums(design: PairDesign, propensity: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(design.items);
  for (let pair = 0; pair < design.item.length; pair++) {
    sums[design.item[pair]] += weightOf(design, pair) * propensity[pair];
  }
  return sums;
}

function weightOf({ isObserved, rate }: PairDesign, pair: number): number {
  return isObserved[pair] === 1 ? 1 : 1 / rate;
}

function largest(differences: Float64Array): number {
  return differences.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
}

function reliability(design: PairDesign, propensity: ArrayLike<number>): ReliabilityBin[] {
  const order = Uint32Array.from(design.item, (_, pair) => pair);
  order.sort((a, b) => propensity[a] - propensity[b] || a - b);
  const all = order.reduce((sum, pair) => sum + weightOf(design, pair), 0);
  const sums = Array.from({ length: BINS }, () => ({
    pairs: 0,
    expected: 0,
    observed: 0,
  }));
  let before = 0;
  for (const pair of order) {
    const weight = weightOf(design, pair);
    const bin = sums[Math.min(BINS - 1, Math.floor(((before + weight / 2) / all) * BINS))];
    bin.pairs += weight;
    bin.expected += weight * propensity[pair];
    bin.observed += design.isObserved[pair];
    before += weight;
  }
  return sums
    .filter(({ pairs }) => pairs > 0)
    .map(({ pairs, expected, observed }) => ({
      pairs,
      expected: expected / pairs,
      observed: observed / pairs,
    }));
}

/** Figures that show how reliable learned propensities are. */
export interface PropensityFigures {
  readonly weights: WeightFigures;
  readonly meanRating: MeanRatings;
  /**
   * Figures of a logistic regression. Null for naive Bayes (nb), whose margins fit by construction
   * and which gives P of observed pairs only.
   */
  readonly fit: LogisticFigures | null;
  /** Comparison with the other kind of model, if both could be learned. */
  readonly comparison: OtherKind | null;
}

/** Estimates of the mean rating over all pairs. */
export interface MeanRatings {
  /** Plain mean of the chosen ratings. */
  readonly plain: number;
  /** Self-normalised IPS estimate, Σ y/P ÷ Σ 1/P. */
  readonly weighted: number;
  /** IPS estimate, Σ y/P ÷ number of all pairs. */
  readonly overPairs: number;
  /** Mean of the ratings of randomly drawn items; null if there are none. */
  readonly random: {
    readonly value: number;
    readonly stdErr: number;
  } | null;
}

export interface LogisticFigures {
  readonly margins: Margins;
  readonly reliability: readonly ReliabilityBin[];
  readonly validation: Validation;
}

export interface Validation {
  readonly folds: number;
  /** One score for each penalty tried. */
  readonly scores: readonly RidgeScore[];
  /** Mean ln P(o) if P is the same for all pairs (nats), for comparison. */
  readonly constant: number;
  /** Whether the best penalty is the smallest or the largest that was tried. */
  readonly isAtEdge: boolean;
}

/** Summary of the weights 1 / P of the observed ratings. */
interface WeightFigures {
  /** Σ 1 / P over the observed ratings ÷ U · I; near 1 if P is right. */
  readonly inversePropensity: number;
  /** The largest 1 / P. */
  readonly largest: number;
  /** Kish's effective number of ratings, (Σ 1 / P)² ÷ Σ 1 / P². */
  readonly ess: number;
}

/**
 * Summarise the weights 1 / P of observed ratings.
 *
 * Source: Kish 1965, 8.2, for the effective number. O(n).
 *
 * @param propensity P of each observed rating. @param pairs U · I.
 * @example
 * weightFigures([0.5, 0.25], 8).ess; // 1.8
 */
export function weightFigures(propensity: ArrayLike<number>, pairs: number): WeightFigures {
  let sum = 0;
  let squares = 0;
  let largest = 0;
  for (let r = 0; r < propensity.length; r++) {
    const weight = 1 / propensity[r];
    sum += weight;
    squares += weight * weight;
    if (weight > largest) {
      largest = weight;
    }
  }
  return {
    inversePropensity: sum / pairs,
    largest,
    ess: (sum * sum) / squares,
  };
}
