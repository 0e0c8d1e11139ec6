/** The pure core as a library: estimators, propensities, gains and interventions, without I/O. */

export type * from './estimators/estimate.js';
export { estimateWindow } from './estimators/estimate-window.js';
export { aucGain } from './gains/auc.js';
export { dcgGain } from './gains/dcg.js';
export { mrrGain } from './gains/mrr.js';
export { recallGain } from './gains/recall.js';
export type { GammaFit, GammaStatus } from './propensity/gamma.js';
export { fitGamma } from './propensity/gamma-fit.js';
export {
  importanceWeight,
  propensityExponent,
  unnormalizedPropensity,
} from './propensity/power-law.js';
export { inclusionProbability, samplingTime } from './sampling/expected-inclusion.js';
export { interventionWeight } from './sampling/intervention-weights.js';
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
