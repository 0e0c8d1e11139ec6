import { UnskewError } from '../../errors.js';
import { naiveBayesPropensity } from '../../estimators/propensity/naive-bayes.js';
import type { NaiveBayesFile } from '../../estimators/propensity/propensity-file.js';
import type { RatingSample } from './rating-sample.js';

/** More are a scale without steps, which counts by value say nothing about. */
const MOST_VALUES = 100;

/** Whether there are random ratings, of few enough values. */
export function canCount({ chosen, random }: RatingSample): boolean {
  const values = new Set([...chosen.rating, ...random.rating]).size;
  return random.rating.length > 0 && values > 1 && values <= MOST_VALUES;
}

/**
 * P(O | r) of the ratings that users chose, by those of randomly drawn items.
 *
 * @param smoothing κ.
 * @throws UnskewError EVENTS without ratings of randomly drawn items, with a single value, and with
 * more than 100; USAGE if κ is 0 and a value was not drawn.
 */
export function learnNaiveBayes(sample: RatingSample, smoothing: number): NaiveBayesFile {
  const { chosen, random, users, items } = sample;
  if (random.rating.length === 0) {
    throw new UnskewError(
      'EVENTS',
      'nb needs ratings of randomly drawn items: interactions with randomized: true, or files named by --randomized',
    );
  }
  const ratings = [...new Set([...chosen.rating, ...random.rating])].sort((a, b) => a - b);
  if (ratings.length < 2 || ratings.length > MOST_VALUES) {
    throw new UnskewError(
      'EVENTS',
      `nb needs ratings of 2 to ${MOST_VALUES} different values, found ${ratings.length}`,
    );
  }
  const counts = ({ rating }: { rating: Float64Array }) => {
    const byValue = new Map(ratings.map((value) => [value, 0]));
    for (const value of rating) byValue.set(value, byValue.get(value)! + 1);
    return [...byValue.values()];
  };
  const [n, m] = [counts(chosen), counts(random)];
  const unknown = ratings.find((_, r) => n[r] > 0 && m[r] === 0);
  if (smoothing === 0 && unknown !== undefined) {
    throw new UnskewError(
      'USAGE',
      `no randomly drawn item was rated ${unknown}, so its propensity is not known: give --smoothing above 0`,
    );
  }
  const propensity = naiveBayesPropensity(n, m, users.length * items.length, smoothing);
  return {
    kind: 'nb',
    smoothing,
    values: ratings.map((rating, r) => ({
      ...{ rating, chosen: n[r], random: m[r], propensity: propensity[r] },
    })),
  };
}
