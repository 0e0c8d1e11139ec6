import type { ControlVariate } from './control-variate.js';
import type { DrawnEstimate } from './drawn-estimate.js';
import type {
  EffectiveSampleSize,
  EstimateDifference,
  EstimateRow,
  ModelSummary,
} from './estimate.js';
import type { FeedbackReport } from './feedback-report.js';
import type { InterventionSummary } from './intervention-summary.js';
import type { RandomizedTraffic } from './randomized-traffic.js';
import type { RankingAgreement } from './ranking-agreement.js';
import type { Refusal } from './refusal.js';
import type { ScaleReport } from './scale-report.js';
import type { SegmentReport } from './segment-report.js';
import type { MeasureSensitivity } from './sensitivity.js';
import type { WeightBin } from './weight-spread.js';

/** What the estimators give for one window. */
export interface WindowEstimates {
  readonly results: readonly EstimateRow[];
  /** Each model's to the reference model's, in the order of `results`. */
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  readonly models: readonly ModelSummary[];
  /** Distinct pairs, positive ones, users and items among them; unranked rows of all models. */
  readonly counts: {
    readonly interactions: number;
    readonly positives: number;
    /** Positive interactions beyond the first of their pair. */
    readonly repeatedPositives: number;
    readonly users: number;
    readonly items: number;
    readonly unranked: number;
  };
  /** Estimators that were asked for and have no value here. */
  readonly refusals: readonly Refusal[];
  /** What each intervention makes of the window's rows. */
  readonly interventions: readonly InterventionSummary[];
  /** What the interventions give on sets that were drawn, if any are asked for. */
  readonly drawn: readonly DrawnEstimate[];
  /** Of the weights n^−β of the positive rows, which snips uses as they are. */
  readonly weightDistribution: readonly WeightBin[];
  /** Share of those weights on items that were counted once; where the window counts in them. */
  readonly singleCountShare?: number;
  /** Where absolute propensities come from; null if nothing needs them, or there are none. */
  readonly absoluteScale: ScaleReport | null;
  readonly randomized: RandomizedTraffic;
  /** The propensities compared with randomised traffic; empty if ure is not given. */
  readonly controlVariates: readonly ControlVariate[];
  /** How far each two estimators agree on the order of the models. */
  readonly agreements: readonly RankingAgreement[];
  /** What the choice of γ decides, by measure. */
  readonly sensitivity: readonly MeasureSensitivity[];
  /** By segment; only there where rows are divided by dimensions. */
  readonly segments?: SegmentReport;
  /** Only there if causes are followed. */
  readonly feedback?: FeedbackReport;
}
