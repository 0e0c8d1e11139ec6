/** The pure core as a library: estimators, propensities, gains and interventions, without I/O. */

export {
  crossValidate,
  DEFAULT_GRID,
  VALIDATION_DEFAULTS,
} from './commands/train/cross-validate.js';
export { predictedRating } from './commands/train/factors.js';
export type { FactorFit, FactorOptions } from './commands/train/fit-factors.js';
export { evenWeights, FACTOR_DEFAULTS, fitFactors } from './commands/train/fit-factors.js';
export type { Ratings } from './commands/train/rating-rows.js';
export { exponentTest } from './estimators/diagnostics/exponent-test.js';
export { gammaSensitivity } from './estimators/diagnostics/gamma-sensitivity.js';
export { kendallTau } from './estimators/diagnostics/ranking-agreement.js';
export {
  inclusionProbability,
  samplingTime,
} from './estimators/interventions/expected-inclusion.js';
export {
  interventionWeight,
  targetedWeight,
} from './estimators/interventions/intervention-weights.js';
export { rake } from './estimators/interventions/raking.js';
export { hash53, samplingKey } from './estimators/interventions/sampling-key.js';
export { estimateWindow } from './estimators/lanes/estimate-window.js';
export { groupSnipsRating, ipsRating, naiveRating, snipsRating } from './estimators/mean-rating.js';
export { aucGain } from './estimators/metrics/auc.js';
export { dcgGain } from './estimators/metrics/dcg.js';
export { mrrGain } from './estimators/metrics/mrr.js';
export {
  absoluteRatingError,
  cumulativeRatingGain,
  discountedRatingGain,
  precisionRatingGain,
  ratingAccuracy,
  squaredRatingError,
} from './estimators/metrics/rating-metrics.js';
export { recallGain } from './estimators/metrics/recall.js';
export type * from './estimators/names.js';
export type * from './estimators/options.js';
export type { Calibration } from './estimators/propensity/calibration.js';
export { calibration } from './estimators/propensity/calibration.js';
export type { LogisticOptions, Offsets } from './estimators/propensity/fit-logistic.js';
export { fitLogistic } from './estimators/propensity/fit-logistic.js';
export type { GammaFit, GammaStatus } from './estimators/propensity/gamma.js';
export { fitGamma } from './estimators/propensity/gamma-fit.js';
export type { GammaInterval } from './estimators/propensity/gamma-interval.js';
export { gammaInterval } from './estimators/propensity/gamma-interval.js';
export { chosenGamma, settled } from './estimators/propensity/gamma-source.js';
export type { LearnedPropensities } from './estimators/propensity/learned-propensities.js';
export { learnedPropensities } from './estimators/propensity/learned-propensities.js';
export type {
  LogisticFit,
  LogisticModel,
  PairFeatures,
  SparseRows,
} from './estimators/propensity/logits.js';
export { noColumns, onesColumn, sparseRows, userLogits } from './estimators/propensity/logits.js';
export { naiveBayesPropensity } from './estimators/propensity/naive-bayes.js';
export type { PairDesign } from './estimators/propensity/pair-design.js';
export { pairDesign } from './estimators/propensity/pair-design.js';
export {
  importanceWeight,
  propensityExponent,
  unnormalizedPropensity,
} from './estimators/propensity/power-law.js';
export type * from './estimators/propensity/propensity-file.js';
export type * from './estimators/results/estimate.js';
export type * from './estimators/results/sensitivity.js';
export type * from './estimators/results/window-estimates.js';
export {
  groupOfItem,
  ITEM_GROUPS,
  type ItemBorders,
  type ItemBordersRefusal,
  type ItemGroup,
  itemBorders,
} from './estimators/segments/built-in-axes.js';
export { logTInterval } from './estimators/uncertainty/log-t-interval.js';
export {
  homogeneity,
  jensenShannon,
  newHomogeneity,
  populationStabilityIndex,
} from './features/drift/homogeneity.js';
export {
  cusum,
  eCusum,
  eShiryaevRoberts,
  newCusum,
  newECusum,
  newEShiryaevRoberts,
} from './features/drift/level-detectors.js';
export { newPrewhitening, prewhiten } from './features/drift/prewhitening.js';
export { newStandardisation, standardise } from './features/drift/standardisation.js';
export {
  type DoublyRobustRating,
  doublyRobustRating,
} from './features/ratings/rating-doubly-robust.js';
export { discoveries } from './features/segments/false-discoveries.js';
export {
  type MeasuredSegment,
  type Shrinkage,
  type ShrinkageRefusal,
  type ShrunkenSegment,
  shrink,
} from './features/segments/shrinkage.js';
export type * from './features/values/arms/served-log.js';
export type { ValueByArmsOptions } from './features/values/arms/value-by-arms.js';
export { valueByArms } from './features/values/arms/value-by-arms.js';
export { examinationByArms } from './features/values/examination-by-arms.js';
export type { Examination } from './features/values/fit-examination.js';
export type { JudgedValue } from './features/values/judged-value.js';
export type { LoggedLists, PropensityOf } from './features/values/logged/logged-lists.js';
export { balancedPropensity } from './features/values/logged/logged-lists.js';
export type { ValueByPropensitiesOptions } from './features/values/logged/value-by-propensities.js';
export { valueByPropensities } from './features/values/logged/value-by-propensities.js';
export { predictedRewards } from './features/values/predicted-rewards.js';
export type * from './features/values/reasons.js';
export type { SampleRatioTest } from './features/values/sample-ratio.js';
export { sampleRatioTest } from './features/values/sample-ratio.js';
export type { ValueDifference } from './features/values/value-difference.js';
export { valueDifference } from './features/values/value-difference.js';
export type { ValueEstimate, ValueEstimatorName } from './features/values/value-estimate.js';
export { averagePopularity, concentration, levelsOf } from './state/counts/levels.js';
export type * from './state/panes/window-part.js';
export {
  LIST_CANDIDATES_UNSTATED,
  LIST_FULL,
  LIST_PARTIAL,
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
  UNRANKED,
} from './state/panes/window-part.js';
