/** The pure core as a library: estimators, propensities, gains and interventions, without I/O. */

export { cusum, newCusum } from './drift/detectors/cusum.js';
export { eCusum, newECusum } from './drift/detectors/e-cusum.js';
export { eShiryaevRoberts, newEShiryaevRoberts } from './drift/detectors/e-shiryaev-roberts.js';
export { newPrewhitening, prewhiten } from './drift/levels/prewhitening.js';
export { newStandardisation, standardise } from './drift/levels/standardisation.js';
export { homogeneity, newHomogeneity } from './drift/shares/homogeneity.js';
export { jensenShannon } from './drift/shares/jensen-shannon.js';
export { populationStabilityIndex } from './drift/shares/psi.js';
export { exponentTest } from './estimators/diagnostics/exponent-test.js';
export { gammaSensitivity } from './estimators/diagnostics/gamma-sensitivity.js';
export { kendallTau } from './estimators/diagnostics/ranking-agreement.js';
export type * from './estimators/names.js';
export type * from './estimators/options.js';
export type * from './estimators/results/estimate.js';
export type * from './estimators/results/sensitivity.js';
export type * from './estimators/results/window-estimates.js';
export type * from './estimators/value/arms/served-log.js';
export type { ValueByArmsOptions } from './estimators/value/arms/value-by-arms.js';
export { valueByArms } from './estimators/value/arms/value-by-arms.js';
export { examinationByArms } from './estimators/value/examination/examination-by-arms.js';
export type { Examination } from './estimators/value/examination/fit-examination.js';
export type { JudgedValue } from './estimators/value/judgement/judged-value.js';
export type { Proved } from './estimators/value/judgement/proved.js';
export { provedAgainst } from './estimators/value/judgement/proved.js';
export type * from './estimators/value/judgement/reasons.js';
export type { SampleRatioTest } from './estimators/value/judgement/sample-ratio.js';
export { sampleRatioTest } from './estimators/value/judgement/sample-ratio.js';
export { logTInterval } from './estimators/value/log-t-interval.js';
export type { LoggedLists, PropensityOf } from './estimators/value/logged/logged-lists.js';
export { balancedPropensity } from './estimators/value/logged/logged-lists.js';
export type { ValueByPropensitiesOptions } from './estimators/value/logged/value-by-propensities.js';
export { valueByPropensities } from './estimators/value/logged/value-by-propensities.js';
export { predictedRewards } from './estimators/value/prediction/predicted-rewards.js';
export type { ValueDifference } from './estimators/value/value-difference.js';
export { valueDifference } from './estimators/value/value-difference.js';
export type { ValueEstimate, ValueEstimatorName } from './estimators/value/value-estimate.js';
export { estimateWindow } from './estimators/window/estimate-window.js';
export {
  type DoublyRobustRating,
  doublyRobustRating,
} from './features/ratings/sample/rating-doubly-robust.js';
export { ipsRating } from './features/ratings/sample/rating-ips.js';
export { naiveRating } from './features/ratings/sample/rating-naive.js';
export { groupSnipsRating, snipsRating } from './features/ratings/sample/rating-snips.js';
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
export type { FactorFit, FactorOptions } from './learning/factors/factor-options.js';
export { FACTOR_DEFAULTS } from './learning/factors/factor-options.js';
export { predictedRating } from './learning/factors/factors.js';
export { evenWeights, fitFactors } from './learning/factors/fit-factors.js';
export type { Ratings } from './learning/ratings/ratings.js';
export {
  crossValidate,
  DEFAULT_GRID,
  VALIDATION_DEFAULTS,
} from './learning/validation/cross-validate.js';
export type { GammaFit, GammaStatus } from './propensity/gamma.js';
export { fitGamma } from './propensity/gamma-fit.js';
export { chosenGamma, settled } from './propensity/gamma-source.js';
export type { LearnedPropensities } from './propensity/learned/learned-propensities.js';
export { learnedPropensities } from './propensity/learned/learned-propensities.js';
export type * from './propensity/learned/propensity-file.js';
export type { LogisticOptions, Offsets } from './propensity/logistic/fit-logistic.js';
export { fitLogistic } from './propensity/logistic/fit-logistic.js';
export type { LogisticFit, LogisticModel } from './propensity/logistic/logistic-model.js';
export type { PairFeatures } from './propensity/logistic/logits.js';
export { userLogits } from './propensity/logistic/logits.js';
export type { PairDesign } from './propensity/logistic/pair-design.js';
export { pairDesign } from './propensity/logistic/pair-design.js';
export type { SparseRows } from './propensity/logistic/sparse-rows.js';
export { noColumns, onesColumn, sparseRows } from './propensity/logistic/sparse-rows.js';
export { naiveBayesPropensity } from './propensity/naive-bayes.js';
export {
  importanceWeight,
  propensityExponent,
  unnormalizedPropensity,
} from './propensity/power-law.js';
export type { Calibration } from './propensity/split/calibration.js';
export { calibration } from './propensity/split/calibration.js';
export type { GammaInterval } from './propensity/split/gamma-interval.js';
export { gammaInterval } from './propensity/split/gamma-interval.js';
export { inclusionProbability, samplingTime } from './sampling/expected-inclusion.js';
export { interventionWeight, targetedWeight } from './sampling/intervention-weights.js';
export { rake } from './sampling/raking.js';
export { hash53, samplingKey } from './sampling/sampling-key.js';
export { discoveries } from './segments/estimates/false-discoveries.js';
export {
  type MeasuredSegment,
  type Shrinkage,
  type ShrinkageRefusal,
  type ShrunkenSegment,
  shrink,
} from './segments/estimates/shrinkage.js';
export {
  groupOfItem,
  ITEM_GROUPS,
  type ItemBorders,
  type ItemBordersRefusal,
  type ItemGroup,
  itemBorders,
} from './segments/groups/item-groups.js';
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
