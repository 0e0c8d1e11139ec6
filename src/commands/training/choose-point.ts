import type { Loss } from '../../learning/factors/objective.js';
import type { Ratings } from '../../learning/ratings/ratings.js';
import {
  DEFAULT_GRID,
  VALIDATION_DEFAULTS,
  type Validation,
  validationInSteps,
} from '../../learning/validation/cross-validate.js';
import type { CommandIo } from '../cli/io.js';
import { inTurns } from './in-turns.js';
import type { LearningOptions } from './train-options.js';

/** d and λ of a fit. */
export interface ChosenPoint {
  readonly point: { readonly size: number; readonly lambda: number };
  /** How they were chosen; undefined if both were given. */
  readonly validation?: Validation;
}

/**
 * d and λ as given, or by cross-validation where one is not.
 *
 * @throws as `crossValidate`
 */
export async function choosePoint(
  ratings: Ratings,
  weight: Float64Array,
  { factors, lambda, folds, seed, loss }: LearningOptions & { readonly loss: Loss },
  io: CommandIo,
): Promise<ChosenPoint> {
  if (factors !== undefined && lambda !== undefined) return { point: { size: factors, lambda } };
  const most = Math.min(ratings.users, ratings.items);
  const grid = {
    sizes: factors === undefined ? DEFAULT_GRID.sizes.filter((size) => size <= most) : [factors],
    lambdas: lambda === undefined ? DEFAULT_GRID.lambdas : [lambda],
  };
  // Fewer users than the smallest d: offsets are all there is to learn.
  if (grid.sizes.length === 0) grid.sizes.push(0);
  const options = { ...VALIDATION_DEFAULTS, folds: folds ?? VALIDATION_DEFAULTS.folds, seed, loss };
  const work = validationInSteps(ratings, weight, grid, options);
  const validation = await inTurns('choosing factors and lambda', work, io);
  return { point: validation.best, validation };
}
