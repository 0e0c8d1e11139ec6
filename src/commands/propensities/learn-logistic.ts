import { UnskewError } from '../../errors.js';
import { crossValidate, type RidgeScore } from '../../estimators/propensity/cross-validate.js';
import { fitLogistic, type Offsets } from '../../estimators/propensity/fit-logistic.js';
import { fittedPropensities } from '../../estimators/propensity/fitted-propensities.js';
import {
  noColumns,
  onesColumn,
  type PairFeatures,
  type SparseRows,
  sparseRows,
} from '../../estimators/propensity/logits.js';
import { pairDesign } from '../../estimators/propensity/pair-design.js';
import {
  fitFigures,
  itemSums,
  type LogisticFigures,
} from '../../estimators/propensity/propensity-figures.js';
import type { LogisticFile, LogisticSide } from '../../estimators/propensity/propensity-file.js';
import type { LogisticChoices } from './options.js';
import type { RatingSample } from './read-ratings.js';
import type { FeatureRows } from './read-table.js';

/** Features of users and of items; undefined if no table is given. */
export interface SideFeatures {
  readonly users?: FeatureRows | undefined;
  readonly items?: FeatureRows | undefined;
}

/** A fitted logistic regression, with figures of how well it fits. */
export interface LearnedLogistic {
  readonly model: LogisticFile;
  readonly figures: LogisticFigures;
}

/**
 * Default number of unrated (user, item) pairs in a fit. One step of such a fit takes about a
 * second.
 */
const NEGATIVES = 2_000_000;

/**
 * Fit a logistic regression of the probability that a (user, item) pair is rated, with the ridge
 * strength of the highest cross-validated likelihood.
 *
 * @param pause awaited between fits, which block the thread.
 * @throws UnskewError as `fitLogistic`
 */
export async function learnLogistic(
  sample: RatingSample,
  given: SideFeatures,
  choices: LogisticChoices,
  seed: number,
  pause: () => Promise<void>,
): Promise<LearnedLogistic> {
  const hasTable = given.users !== undefined || given.items !== undefined;
  const offsets: Offsets = choices.offsets ?? (hasTable ? 'none' : 'both');
  if (!hasTable && offsets === 'none') {
    throw new UnskewError(
      'USAGE',
      '--kind lr with --offsets none needs features: give --user-features or --item-features',
    );
  }
  const pairs = sample.users.length * sample.items.length;
  const rate = choices.negatives ?? Math.min(1, NEGATIVES / pairs);
  const design = pairDesign(observedItems(sample), sample.items.length, rate, seed);
  const features = pairFeatures(sample, given);
  const scores: RidgeScore[] = [];
  for (const l2 of choices.l2) {
    const [score] = crossValidate(design, features, [l2], {
      offsets,
      folds: choices.folds,
      seed,
    });
    scores.push(score);
    await pause();
  }
  const best = scores.reduce((a, b) => (b.logLikelihood > a.logLikelihood ? b : a));
  const fitted = fitLogistic(design, features, {
    l2: best.l2,
    offsets,
  });
  const propensity = fittedPropensities(fitted, features, design);
  return {
    model: {
      kind: 'lr',
      l2: best.l2,
      offsets,
      rate,
      seed,
      intercept: fitted.intercept,
      weights: matrix(fitted.weights, features.items.width),
      users: side(
        sample.users,
        given.users,
        hasTable,
        isOffset(offsets, 'users') && fitted.userOffsets,
      ),
      items: side(
        sample.items,
        given.items,
        hasTable,
        isOffset(offsets, 'items') && fitted.itemOffsets,
      ),
      itemSums: [...itemSums(design, propensity)],
    },
    figures: {
      ...fitFigures(design, propensity),
      validation: {
        folds: choices.folds,
        scores,
        constant: constantScore(sample),
        isAtEdge: choices.l2.length > 1 && isAtEdge(best.l2, choices.l2),
      },
    },
  };
}

function isAtEdge(best: number, strengths: readonly number[]): boolean {
  return best === Math.min(...strengths) || best === Math.max(...strengths);
}

function observedItems({ users, chosen }: RatingSample): number[][] {
  const items = users.map((): number[] => []);
  chosen.user.forEach((user, r) => {
    items[user].push(chosen.item[r]);
  });
  return items;
}

/**
 * Build the features of (user, item) pairs. If only one of users and items has a table, the others
 * get a single feature, which is 1.
 */
function pairFeatures({ users, items }: RatingSample, given: SideFeatures): PairFeatures {
  const isNone = given.users === undefined && given.items === undefined;
  const rows = (count: number, table: FeatureRows | undefined): SparseRows => {
    if (isNone) return noColumns(count);
    return table === undefined ? onesColumn(count) : sparseRows(table.rows);
  };
  return {
    users: rows(users.length, given.users),
    items: rows(items.length, given.items),
  };
}

function isOffset(offsets: Offsets, of: 'users' | 'items'): boolean {
  return offsets === of || offsets === 'both';
}

function side(
  ids: readonly string[],
  table: FeatureRows | undefined,
  hasTable: boolean,
  offsets: Float64Array | false,
): LogisticSide {
  const ones = ids.map(() => (hasTable ? [1] : []));
  return {
    ids,
    names: table?.names ?? (hasTable ? ['all'] : []),
    features: table?.rows.map((row) => [...row]) ?? ones,
    offsets: offsets === false ? null : [...offsets],
  };
}

function matrix(weights: Float64Array, columns: number): number[][] {
  const rows = columns === 0 ? 0 : weights.length / columns;
  return Array.from({ length: rows }, (_, row) => [
    ...weights.subarray(row * columns, (row + 1) * columns),
  ]);
}

/**
 * Mean log-likelihood per (user, item) pair if all pairs have the same propensity, P(O = 1) =
 * ratings / pairs.
 */
function constantScore({ users, items, chosen }: RatingSample): number {
  const p = chosen.rating.length / (users.length * items.length);
  return p * Math.log(p) + (1 - p) * Math.log1p(-p);
}
