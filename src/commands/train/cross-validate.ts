import { UnskewError } from '../../errors.js';
import { hash53 } from '../../estimators/interventions/sampling-key.js';
import { runAtOnce } from '../../stream/sliced.js';
import { type Loss, residualsOf } from './factors.js';
import type { FactorOptions } from './fit-factors.js';
import { fitFactors } from './fit-factors.js';
import type { InSteps } from './in-steps.js';
import { chosenRatings, type Ratings } from './rating-rows.js';

export interface ValidationGrid {
  /** Values to try for d, the number of factors, ascending. */
  readonly sizes: readonly number[];
  /** Values to try for λ, the weight of the penalty, ascending. */
  readonly lambdas: readonly number[];
}

/** The grid of Schnabel et al. 2016, section 6.1, with λ by decades. */
export const DEFAULT_GRID: ValidationGrid = {
  sizes: [5, 10, 20, 40],
  lambdas: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1],
};

/** A point of the grid with its cross-validated error. */
export interface ValidatedPoint {
  readonly size: number;
  readonly lambda: number;
  /** Estimated error on held-out ratings; see `crossValidate`. */
  readonly error: number;
}

export interface Validation {
  readonly points: readonly ValidatedPoint[];
  readonly best: ValidatedPoint;
  /**
   * Whether the best λ is the smallest or the largest of the grid. Then a better one may lie
   * outside the grid.
   */
  readonly isAtEdge: boolean;
}

export interface ValidationOptions {
  readonly folds: number;
  readonly seed: number;
  readonly loss: Loss;
  readonly maxSweeps: number;
  readonly tolerance: number;
}

export const VALIDATION_DEFAULTS = {
  folds: 4,
  maxSweeps: 50,
  tolerance: 1e-5,
  loss: 'squared',
} as const;

/**
 * Choose the size d and λ of a factorisation by cross-validation with propensities.
 *
 * With F folds, F − 1 of them are fitted, so a fitted rating has propensity P (F − 1) / F; the
 * held-out fold has P / F. A point's error is the mean over folds of 1 / (U · I) · Σ_held δ F / P,
 * with δ the loss of a rating: the IPS estimate of the error over all pairs. Source: Schnabel et
 * al. 2016, section 6.1 (four folds). Ties go to the smaller d, then to the larger λ. O(points ·
 * folds) fits.
 *
 * @param weight w = 1 / P of each rating.
 * @throws as `fitFactors`; UnskewError EVENTS if a fold is empty
 */
export function crossValidate(
  ratings: Ratings,
  weight: Float64Array,
  grid: ValidationGrid,
  options: ValidationOptions,
): Validation {
  return runAtOnce(validationInSteps(ratings, weight, grid, options));
}

/** Like `crossValidate`, as a generator that yields after each fit. @throws as `crossValidate` */
export function* validationInSteps(
  ratings: Ratings,
  weight: Float64Array,
  { sizes, lambdas }: ValidationGrid,
  options: ValidationOptions,
): InSteps<Validation> {
  const { folds, seed } = options;
  const parts = partsOf(ratings, weight, folds, seed);
  const points: ValidatedPoint[] = [];
  const most = sizes.length * lambdas.length * folds;
  let done = 0;
  for (const size of sizes) {
    for (const lambda of lambdas.toReversed()) {
      let error = 0;
      for (const part of parts) {
        error +=
          heldOutError(part, {
            ...options,
            size,
            lambda,
          }) / folds;
        done++;
        yield { done, most };
      }
      points.push({
        size,
        lambda,
        error,
      });
    }
  }
  const best = points.reduce((a, b) => (b.error < a.error ? b : a));
  const edges = [lambdas[0], lambdas[lambdas.length - 1]];
  return {
    points,
    best,
    isAtEdge: lambdas.length > 1 && edges.includes(best.lambda),
  };
}

interface Part {
  readonly learned: Ratings;
  readonly learnedWeight: Float64Array;
  readonly held: Ratings;
  readonly heldWeight: Float64Array;
}

function partsOf(ratings: Ratings, weight: Float64Array, folds: number, seed: number): Part[] {
  const fold = foldsOf(ratings, folds, seed);
  const all = Int32Array.from(fold.keys());
  return Array.from({ length: folds }, (_, part) => {
    const learned = all.filter((r) => fold[r] !== part);
    const held = all.filter((r) => fold[r] === part);
    if (held.length === 0) {
      throw new UnskewError(
        'EVENTS',
        `${ratings.rating.length} ratings do not fill ${folds} folds`,
      );
    }
    return {
      learned: chosenRatings(ratings, learned),
      learnedWeight: Float64Array.from(learned, (r) => (weight[r] * folds) / (folds - 1)),
      held: chosenRatings(ratings, held),
      heldWeight: Float64Array.from(held, (r) => weight[r] * folds),
    };
  });
}

function heldOutError(part: Part, options: FactorOptions): number {
  const { factors } = fitFactors(part.learned, part.learnedWeight, options);
  const errors = residualsOf(factors, part.held);
  const { users, items } = part.held;
  let sum = 0;
  for (let r = 0; r < errors.length; r++) {
    const loss = options.loss === 'squared' ? errors[r] ** 2 : Math.abs(errors[r]);
    sum += part.heldWeight[r] * loss;
  }
  return sum / (users * items);
}

/**
 * Assign each rating to a fold, by a hash of seed, user and item. The order of the ratings does not
 * matter.
 *
 * @returns a number from 0 to folds − 1 for each rating.
 */
export function foldsOf({ user, item }: Ratings, folds: number, seed: number): Uint8Array {
  return Uint8Array.from(user, (u, r) => Math.floor((hash53(seed, u, item[r]) / 2 ** 53) * folds));
}
