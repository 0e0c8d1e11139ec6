import { ipsRating } from '../../src/estimators/mean-rating.js';
import { naiveBayesPropensity } from '../../src/estimators/propensity/naive-bayes.js';
import { coatMatrix, coatRatings } from '../reference/coat.js';
import { type Table, within } from './table.js';

const NAIVE_BAYES = [0.053958, 0.08525, 0.091391, 0.106084, 0.153425];

/** Number of ratings of 1 to 5. */
function levels(ratings: number[][]): number[] {
  return [1, 2, 3, 4, 5].map((r) => ratings.flat().filter((rating) => rating === r).length);
}

/** P(O | r) from the two parts of Coat, and what its authors' own propensities add up to. */
export function coatPropensities(): Table {
  const train = coatRatings('train');
  const ratings = train.flat();
  const given = ratings.flatMap((rating) => (rating > 0 ? [rating] : []));
  const ones = given.map(() => 1);
  const pairs = ratings.length;
  const bayes = naiveBayesPropensity(levels(train), levels(coatRatings('test')), pairs);
  const own = given.map((rating) => bayes[rating - 1]);
  const shipped = coatMatrix('propensities').flat();
  const shippedOfGiven = shipped.filter((_, pair) => ratings[pair] > 0);
  const total = shipped.reduce((a, b) => a + b, 0);
  const estimatedPairs = ipsRating(ones, own, pairs) * pairs;
  return {
    title: 'Coat (Schnabel et al. 2016): propensities',
    rows: [
      ...NAIVE_BAYES.map((expected, r) =>
        within(`Naive Bayes P(O | ${r + 1})`, '–', bayes[r], expected, 5e-7, 6),
      ),
      within('Naive Bayes Σ 1/P of what is observed', '–', estimatedPairs, 87_000, 1e-6, 6),
      within('shipped ΣP', '–', total, 6961.61, 0.005, 2),
      within(
        'shipped Σ 1/P of what is observed ÷ pairs',
        '–',
        ipsRating(ones, shippedOfGiven, pairs),
        1.0401,
        5e-5,
      ),
      within(
        'shipped, largest error of an item margin',
        '–',
        largestItemError(shipped, train),
        19,
        0.5,
        1,
      ),
    ],
    note: 'Naive Bayes adds up by construction, so its sum is no evidence that it is right.',
  };
}

/** Largest difference of ΣP over users from the number of ratings an item has. */
function largestItemError(propensity: number[], ratings: number[][]): number {
  const items = ratings[0].length;
  const errors = ratings[0].map((_, item) => {
    const expected = propensity.filter((_, pair) => pair % items === item);
    const count = ratings.filter((row) => row[item] > 0).length;
    return Math.abs(expected.reduce((a, b) => a + b, 0) - count);
  });
  return Math.max(...errors);
}
