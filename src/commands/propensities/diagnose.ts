import { ipsRating, naiveRating, snipsRating } from '../../estimators/mean-rating.js';
import { learnedPropensities } from '../../estimators/propensity/learned-propensities.js';
import {
  type LogisticFigures,
  type PropensityFigures,
  weightFigures,
} from '../../estimators/propensity/propensity-figures.js';
import type { PropensityModel } from '../../estimators/propensity/propensity-file.js';
import { comparedPropensities } from '../../estimators/propensity/used-propensities.js';
import type { RatingSample } from './read-ratings.js';

/**
 * Compute figures that show how reliable learned propensities are.
 *
 * @param fit figures of the regression; null for propensities by rating
 * @param other propensities of the other kind to compare with, if they could be learned
 */
export function figuresOf(
  sample: RatingSample,
  model: PropensityModel,
  fit: LogisticFigures | null,
  other: PropensityModel | undefined,
): PropensityFigures {
  const { chosen, random, users, items } = sample;
  const pairs = users.length * items.length;
  const own = chosenPropensities(sample, model);
  return {
    weights: weightFigures(own, pairs),
    meanRating: {
      plain: naiveRating(chosen.rating),
      weighted: snipsRating(chosen.rating, own),
      overPairs: ipsRating(chosen.rating, own, pairs),
      random: random.rating.length < 2 ? null : meanOf(random.rating),
    },
    fit,
    comparison:
      other === undefined
        ? null
        : {
            with: other.kind,
            ...comparedPropensities(chosen.rating, own, chosenPropensities(sample, other)),
          },
  };
}

function chosenPropensities({ users, items, chosen }: RatingSample, model: PropensityModel) {
  const learned = learnedPropensities(model);
  const user = users.map((id) => learned.userOf(id));
  const item = items.map((id) => learned.itemOf(id));
  return chosen.rating.map((rating, r) =>
    learned.propensity(user[chosen.user[r]], item[chosen.item[r]], rating),
  );
}

function meanOf(values: Float64Array) {
  const value = naiveRating(values);
  const squares = values.reduce((sum, each) => sum + (each - value) ** 2, 0);
  return {
    value,
    stdErr: Math.sqrt(squares / (values.length - 1) / values.length),
  };
}
