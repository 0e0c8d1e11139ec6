import { UnskewError } from '../../errors.js';
import type { CommandIo } from '../cli/io.js';
import { IMPLICIT_DEFAULTS, implicitInSteps } from './confidence-rows.js';
import {
  DEFAULT_GRID,
  VALIDATION_DEFAULTS,
  type Validation,
  validationInSteps,
} from './cross-validate.js';
import type { Loss } from './factors.js';
import { FACTOR_DEFAULTS, factorsInSteps } from './fit-factors.js';
import { inTurns } from './in-turns.js';
import { neighboursInSteps } from './item-knn.js';
import type { Learned } from './learned-model.js';
import { type AskedPropensities, propensitiesFrom, weightsOf } from './propensities.js';
import { positiveCounts } from './ranker.js';
import type { RatingData } from './rating-log.js';
import {
  checkRatings,
  chosenRatings,
  type Ratings,
  rowsByItem,
  rowsByUser,
  type SparseRows,
} from './rating-rows.js';
import type { Kind, LearningOptions } from './train-options.js';

const NEIGHBOURS = 50;
/** Default of α, the confidence that iALS adds to 1 for a positive. */
const ALPHA = 1;

/** A trained model, with facts about its training. */
export interface Lesson {
  readonly learned: Learned;
  readonly fit?: FitFigures;
  /** The size d and λ that cross-validation chose; undefined if the options gave both. */
  readonly chosen?: ChosenPoint;
}

/** Figures of the fit of a factorisation. */
export interface FitFigures {
  readonly factors: number;
  readonly lambda: number;
  readonly objective: number;
  readonly sweeps: number;
  /**
   * Σ 1 / P over the ratings, divided by the number U · I of user-item pairs. Near 1 if
   * propensities are correctly scaled.
   */
  readonly pairsCovered: number;
}

/**
 * Train a model of the given kind, with progress on the terminal.
 *
 * @throws UnskewError EVENTS for ratings without information, and for a fit that did not converge;
 * USAGE for options that do not fit the ratings
 */
export async function learn(
  kind: Kind,
  data: RatingData,
  options: LearningOptions,
  {
    positiveFrom,
    propensities,
  }: {
    positiveFrom: number;
    propensities: AskedPropensities;
  },
  io: CommandIo,
): Promise<Lesson> {
  const { ratings } = data;
  checkRatings(ratings);
  const { neighbours = NEIGHBOURS } = options;
  switch (kind) {
    case 'popularity':
      return {
        learned: {
          kind,
          counts: positiveCounts(ratings, positiveFrom),
        },
      };
    case 'user-knn':
      return {
        learned: {
          kind,
          neighbours,
          users: data.users,
          rows: rowsByUser(ratings),
        },
      };
    case 'item-knn': {
      const nearest = await inTurns('learning', neighboursInSteps(ratings, neighbours), io);
      return { learned: { kind, nearest } };
    }
    case 'ials':
      return { learned: await learnImplicit(ratings, options, positiveFrom, io) };
    default:
      return learnFactors(
        kind,
        data,
        {
          ...options,
          propensities,
        },
        io,
      );
  }
}

async function learnImplicit(
  ratings: Ratings,
  { factors, lambda, sweeps, alpha = ALPHA, seed }: LearningOptions,
  positiveFrom: number,
  io: CommandIo,
): Promise<Learned> {
  const rows = Int32Array.from(ratings.rating.keys());
  const liked = chosenRatings(
    ratings,
    rows.filter((r) => ratings.rating[r] >= positiveFrom),
  );
  const confident = (of: SparseRows) => ({
    ...of,
    value: of.value.map(() => alpha),
  });
  const options = {
    size: factors ?? IMPLICIT_DEFAULTS.size,
    lambda: lambda ?? IMPLICIT_DEFAULTS.lambda,
    sweeps: sweeps ?? IMPLICIT_DEFAULTS.sweeps,
    seed,
  };
  const byUser = confident(rowsByUser(liked));
  const byItem = confident(rowsByItem(liked));
  const item = await inTurns('learning', implicitInSteps(byUser, byItem, options), io);
  return {
    kind: 'ials',
    item,
    size: options.size,
    lambda: options.lambda,
    alpha,
    positiveFrom,
  };
}

async function learnFactors(
  kind: 'mf' | 'mf-ips',
  data: RatingData,
  options: LearningOptions & { readonly propensities: AskedPropensities },
  io: CommandIo,
): Promise<Lesson> {
  const { ratings } = data;
  const {
    seed,
    loss = FACTOR_DEFAULTS.loss,
    sweeps: maxSweeps = FACTOR_DEFAULTS.maxSweeps,
  } = options;
  const asked = options.propensities;
  const propensities = propensitiesFrom(asked, data);
  const weight = weightsOf(propensities, data, asked);
  const chosen = await choosePoint(
    ratings,
    weight,
    {
      ...options,
      loss,
    },
    io,
  );
  const { size, lambda } = chosen.point;
  const work = factorsInSteps(ratings, weight, {
    ...FACTOR_DEFAULTS,
    size,
    lambda,
    seed,
    loss,
    maxSweeps,
  });
  const { factors, objective, sweeps, isConverged } = await inTurns('learning', work, io);
  if (!isConverged) {
    throw new UnskewError(
      'EVENTS',
      `the fit did not converge within ${sweeps} sweeps: raise --sweeps or --lambda`,
    );
  }
  const pairs = ratings.users * ratings.items;
  const pairsCovered = weight.reduce((sum, w) => sum + w, 0) / pairs;
  const { item, offset } = factors;
  return {
    learned: {
      kind,
      factors: {
        size,
        item,
        offset,
        ridge: lambda * pairs,
        loss,
      },
      propensities,
    },
    fit: {
      factors: size,
      lambda,
      objective,
      sweeps,
      pairsCovered,
    },
    ...(chosen.validation === undefined ? {} : { chosen }),
  };
}

/** Size d and weight λ of the penalty that a factorisation is fitted with. */
interface ChosenPoint {
  readonly point: {
    readonly size: number;
    readonly lambda: number;
  };
  /** Cross-validation that chose d and λ; undefined if the options gave both. */
  readonly validation?: Validation;
}

/**
 * Choose d and λ of a factorisation: as given, or by cross-validation if one is missing.
 *
 * @throws as `crossValidate`
 */
async function choosePoint(
  ratings: Ratings,
  weight: Float64Array,
  { factors, lambda, folds, seed, loss }: LearningOptions & { readonly loss: Loss },
  io: CommandIo,
): Promise<ChosenPoint> {
  if (factors !== undefined && lambda !== undefined) {
    return {
      point: {
        size: factors,
        lambda,
      },
    };
  }
  const most = Math.min(ratings.users, ratings.items);
  const grid = {
    sizes: factors === undefined ? DEFAULT_GRID.sizes.filter((size) => size <= most) : [factors],
    lambdas: lambda === undefined ? DEFAULT_GRID.lambdas : [lambda],
  };
  // With fewer users than the smallest d, only offsets can be learned.
  if (grid.sizes.length === 0) {
    grid.sizes.push(0);
  }
  const options = {
    ...VALIDATION_DEFAULTS,
    folds: folds ?? VALIDATION_DEFAULTS.folds,
    seed,
    loss,
  };
  const work = validationInSteps(ratings, weight, grid, options);
  const validation = await inTurns('choosing factors and lambda', work, io);
  return {
    point: validation.best,
    validation,
  };
}
