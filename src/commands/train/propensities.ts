import { UnskewError } from '../../errors.js';
import type { LearnedPropensities } from '../../estimators/propensity/learned-propensities.js';
import { naiveBayesPropensity } from '../../estimators/propensity/naive-bayes.js';
import type { RatingData } from './rating-log.js';

/** Propensities that a model was trained with, and their source. */
export type Propensities =
  | {
      readonly source: 'even';
      readonly propensity: number;
    }
  | {
      readonly source: 'nb';
      readonly rating: readonly number[];
      readonly propensity: readonly number[];
    }
  | { readonly source: 'logged' }
  /** A file written by `unskew propensities`, identified by its version. */
  | {
      readonly source: 'file';
      readonly version: string;
    };

/**
 * Names of propensity sources for `mf-ips`: naive Bayes from randomised traffic, or logged ones.
 */
export const PROPENSITY_SOURCES = ['nb', 'logged'] as const;
export type PropensitySource = (typeof PROPENSITY_SOURCES)[number];

/** A propensities file that was read. */
export interface PropensityFile {
  readonly version: string;
  readonly learned: LearnedPropensities;
}

/**
 * Maximum number of different rating values. Naive Bayes needs each value a few times in the
 * randomised ratings.
 */
const MOST_VALUES = 100;
/** κ, the smoothing added to the randomised count of each rating value. */
const SMOOTHING = 1;

/** Equal propensities for all user-item pairs: P = n / (U · I) for n ratings. */
export function evenPropensity({ ratings: { rating, users, items } }: RatingData): Propensities {
  return {
    source: 'even',
    propensity: rating.length / (users * items),
  };
}

/** Choice of propensities on the command line: a source, a file, or equal ones for all pairs. */
export type AskedPropensities = PropensitySource | PropensityFile | 'even';

/**
 * Get the propensities that were asked for. Equal ones and those by naive Bayes are computed. For
 * logged ones and those of a file, only the source is returned. @throws UnskewError EVENTS if the
 * events lack what naive Bayes needs
 */
export function propensitiesFrom(asked: AskedPropensities, data: RatingData): Propensities {
  if (asked === 'even') return evenPropensity(data);
  if (asked === 'nb') return naiveBayes(data);
  return asked === 'logged'
    ? { source: asked }
    : {
        source: 'file',
        version: asked.version,
      };
}

/**
 * Compute 1 / P of each rating.
 *
 * @param asked the propensities file, if one is used
 * @throws UnskewError EVENTS for a rating whose propensity is unknown; USAGE for another file
 */
export function weightsOf(
  propensities: Propensities,
  data: RatingData,
  asked: AskedPropensities,
): Float64Array {
  if (propensities.source === 'file') return weightsByFile(propensities.version, data, asked);
  const { rating } = data.ratings;
  if (propensities.source === 'even') {
    return new Float64Array(rating.length).fill(1 / propensities.propensity);
  }
  if (propensities.source === 'logged') return data.logged().map(inverseOfLogged);
  const byRating = new Map(
    propensities.rating.map((value, n) => [value, propensities.propensity[n]]),
  );
  return rating.map((value) => {
    const propensity = byRating.get(value) ?? 0;
    if (propensity > 0) return 1 / propensity;
    throw new UnskewError('EVENTS', `a rating of ${value} has no propensity in the model`);
  });
}

function weightsByFile(version: string, data: RatingData, asked: AskedPropensities): Float64Array {
  if (typeof asked === 'string' || asked.version !== version) {
    throw new UnskewError(
      'USAGE',
      `the model was trained with a propensity file of version ${version}: name this file with --propensities`,
    );
  }
  const { learned } = asked;
  const { user, item, rating } = data.ratings;
  const users = data.users.map((id) => learned.userOf(id));
  const items = data.items.map((id) => learned.itemOf(id));
  const propensity = rating.map((value, r) =>
    learned.propensity(users[user[r]], items[item[r]], value),
  );
  const missing = propensity.filter((each) => !(each > 0)).length;
  if (missing === 0) return propensity.map((each) => 1 / each);
  throw new UnskewError(
    'EVENTS',
    `the propensity file lacks ${missing} of ${rating.length} ratings: learn it again`,
  );
}

function naiveBayes({ ratings, randomised }: RatingData): Propensities {
  if (randomised.length === 0) {
    throw new UnskewError(
      'EVENTS',
      '--propensities nb needs ratings from randomised traffic, and the events have none',
    );
  }
  const values = [...new Set([...ratings.rating, ...randomised])].sort((a, b) => a - b);
  if (values.length > MOST_VALUES) {
    throw new UnskewError(
      'EVENTS',
      `--propensities nb fits one propensity per rating value: ${values.length} values are more than the ${MOST_VALUES} allowed`,
    );
  }
  const counts = (of: Float64Array) => {
    const found = new Map(values.map((value) => [value, 0]));
    for (const value of of) {
      found.set(value, found.get(value)! + 1);
    }
    return values.map((value) => found.get(value)!);
  };
  const pairs = ratings.users * ratings.items;
  const chosen = counts(ratings.rating);
  const random = counts(randomised);
  const propensity = naiveBayesPropensity(chosen, random, pairs, SMOOTHING);
  return {
    source: 'nb',
    rating: values,
    propensity: [...propensity],
  };
}

function inverseOfLogged(propensity: number, _row: number, all: Float64Array): number {
  if (propensity > 0) return 1 / propensity;
  const missing = all.filter((each) => !(each > 0)).length;
  throw new UnskewError(
    'EVENTS',
    `${missing} of ${all.length} ratings are not attributed to a list with propensities above 0`,
  );
}
