import type { EstimateOptions } from '../../src/estimators/options.js';
import type { ScaleName } from '../../src/estimators/results/scale-report.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import type { EvaluatedRow, UserSums } from './evaluated.js';
import type { PlainWindow } from './window.js';

/** A window, and what was asked of it. */
export interface OracleWindow {
  readonly window: PlainWindow;
  readonly options: EstimateOptions;
  /** Of what was found, an oracle may read decisions, but no numbers. */
  readonly found: Pick<WindowEstimates, 'interventions' | 'absoluteScale'>;
}

/** The rows of one model and one metric. */
export interface OracleRows extends OracleWindow {
  /** By user, of the traffic that the estimator is measured on. */
  readonly rows: EvaluatedRow[][];
}

/** Chance of a row of the window to be in the set that is measured. */
export type Chance = (user: number, item: number) => number;

/** An estimator by its definition, written out slowly. */
export interface EstimatorOracle {
  /** N_u and D_u in each form that it has. */
  readonly user?: (given: OracleRows) => UserSums;
  readonly pooled?: (given: OracleRows) => UserSums;
  /** Where metrics of whole sets have a value. */
  readonly chance?: (given: OracleWindow) => Chance;
  readonly traffic?: 'randomized';
  /** What is special of one that is not a mean of gains; any other value lies between least and greatest. */
  readonly noMean?: {
    readonly ess: (given: OracleRows) => number;
    /** Where its propensities come from. */
    readonly scale: (given: OracleRows) => ScaleName;
  };
  /** Relative, where it is not 1e-9. */
  readonly tolerance?: number;
}
