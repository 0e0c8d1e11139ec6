/** The pure core as a library: estimators, propensities, gains and interventions, without I/O. */

export { cusum, newCusum } from './drift/cusum.js';
export { eCusum, newECusum } from './drift/e-cusum.js';
export { eShiryaevRoberts, newEShiryaevRoberts } from './drift/e-shiryaev-roberts.js';
export { homogeneity, newHomogeneity } from './drift/homogeneity.js';
export { jensenShannon } from './drift/jensen-shannon.js';
export { newPrewhitening, prewhiten } from './drift/prewhitening.js';
export { populationStabilityIndex } from './drift/psi.js';
export { newStandardisation, standardise } from './drift/standardisation.js';
export type * from './estimators/estimate.js';
export { estimateWindow } from './estimators/estimate-window.js';
export { exponentTest } from './estimators/exponent-test.js';
export { kendallTau } from './estimators/ranking-agreement.js';
export { ipsRating } from './estimators/rating-ips.js';
export { naiveRating } from './estimators/rating-naive.js';
export { groupSnipsRating, snipsRating } from './estimators/rating-snips.js';
export { aucGain } from './gains/auc.js';
export { dcgGain } from './gains/dcg.js';
export { mrrGain } from './gains/mrr.js';
export {
  absoluteRatingError,
  ratingAccuracy,
  squaredRatingError,
} from './gains/rating-error.js';
export {
  cumulativeRatingGain,
  discountedRatingGain,
  precisionRatingGain,
} from './gains/rating-gain.js';
export { recallGain } from './gains/recall.js';
export type { GammaFit, GammaStatus } from './propensity/gamma.js';
export { fitGamma } from './propensity/gamma-fit.js';
export { naiveBayesPropensity } from './propensity/naive-bayes.js';
export {
  importanceWeight,
  propensityExponent,
  unnormalizedPropensity,
} from './propensity/power-law.js';
export { BottomK } from './sampling/bottom-k.js';
export { inclusionProbability, samplingTime } from './sampling/expected-inclusion.js';
export { interventionWeight, targetedWeight } from './sampling/intervention-weights.js';
export { rake } from './sampling/raking.js';
export { hash53, samplingKey } from './sampling/sampling-key.js';
export { averagePopularity, concentration, levelsOf } from './state/levels.js';
export type * from './state/window-part.js';
export {
  LIST_CANDIDATES_UNSTATED,
  LIST_FULL,
  LIST_PARTIAL,
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
  UNRANKED,
} from './state/window-part.js';
