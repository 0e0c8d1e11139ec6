import type { BaselineDifference } from '../../estimators/diagnostics/against-baseline.js';
import type { ExponentTest } from '../../estimators/diagnostics/exponent-test.js';
import type { HeavyUsers } from '../../estimators/diagnostics/heavy-users.js';
import type { Calibration } from '../../estimators/propensity/calibration.js';
import type { GammaFit, GammaFitName } from '../../estimators/propensity/gamma.js';
import type { GammaInterval } from '../../estimators/propensity/gamma-interval.js';
import type { SourcedGamma, UsedGammaSource } from '../../estimators/propensity/gamma-source.js';
import type { WindowEstimates } from '../../estimators/results/window-estimates.js';
import type { Alarm, Notice } from '../../features/alarm.js';
import type { PairVerdict } from '../../features/verdict.js';
import type { TrueValue } from '../../simulation/truth.js';
import type { UserPartitions } from '../../state/panes/user-partitions.js';
import type { SnapshotReports, WindowReports } from '../feature-types.js';

/** Concentration of counts over a catalogue of `catalogueSize` items. */
export interface Concentration {
  readonly total: number;
  readonly gini: number;
  readonly hhi: number;
  readonly coverage: number;
  /** Shannon entropy of the shares, in nats. */
  readonly entropy: number;
  /** Share of the total in the most popular 1 % of the catalogue. */
  readonly topShare: number;
  /** Mean popularity n_i of the counted items: Σ N_i n_i / Σ N_i, with N_i the count of item i. */
  readonly averagePopularity: number;
}

/** The γ of a tick, with its source and the fits behind it. */
export interface PropensityReport {
  /** γ used by the estimators, and β = (γ + 1) / 2. */
  readonly gamma: number;
  /** Standard error of γ, included in intervals; 0 if γ is fixed or the default. */
  readonly gammaStdErr: number;
  readonly beta: number;
  /**
   * Where γ comes from. `fit`: the fit of this tick. `last_good`: the fit of an earlier tick.
   * `fixed`: the configuration. `calibrated`: randomised traffic. `assumed`: the default, because
   * there is no usable evidence.
   */
  readonly source: UsedGammaSource;
  /** Name of the configured fit. */
  readonly fit: GammaFitName;
  /** Fits of γ to the exposures of each model, and under `*` of all models together. */
  readonly fits: Readonly<Record<string, GammaFit>>;
  /** Evidence from which γ is chosen; only with `auto`. */
  readonly auto?: GammaEvidence & {
    /**
     * Another source of γ that was preferred at the last ticks, and the number of these ticks. γ
     * switches to it if it stays preferred.
     */
    readonly asking?: {
      readonly source: SourcedGamma['source'];
      readonly ticks: number;
    };
  };
}

/** Evidence from which γ is estimated. */
export interface GammaEvidence {
  /** β from randomised traffic and popularity. */
  readonly calibration: Calibration;
  /** γ from the exposures of all models. */
  readonly exposures: GammaInterval;
}

export interface WindowSnapshot extends WindowEstimates, WindowReports {
  /** As configured, e.g. `1h`. */
  readonly name: string;
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  /**
   * End of the window, event time, ms. It is the end of the snapshot's pane, or an earlier one for
   * a window that is not computed at every tick.
   */
  readonly to: number;
  /** Time of the last change of users' pseudonyms, event time, ms; only if it affects the window. */
  readonly renamedAt?: number;
  /**
   * Whether the window was computed ahead of its schedule, because the process has just started.
   */
  readonly isEarly?: true;
  /** By model: mean popularity n_i of the items shown in this window; NaN if none were shown. */
  readonly averageRecommendationPopularity: Readonly<Record<string, number>>;
  /** Mean popularity n_i of the items of the window's counted interactions. */
  readonly averageInteractionPopularity: number;
  /**
   * Test of the exponent β against the positive interactions of randomised traffic. It covers the
   * popularity horizon, so it is the same in all windows of a tick. Null if there are no such
   * interactions, or if popularity includes them.
   */
  readonly exponentTest: ExponentTest | null;
  /**
   * Differences of each model's estimates from those of the built-in model; empty if there is no
   * built-in model.
   */
  readonly againstBaseline: readonly BaselineDifference[];
  /**
   * Name of the configured reference model, if that model has no lists. No model is then compared.
   */
  readonly referenceAway?: string;
}

/** Models that have lists but are not evaluated, because there are too many models. */
export interface ModelsLeftOut {
  /** Lower bound of the number of models left out. */
  readonly models: number;
  /** Names of some of these models. */
  readonly names: readonly string[];
}

/** All results of a closed pane: immutable, shared by the exporter, the API and the page. */
export interface Snapshot extends SnapshotReports {
  /** End of the pane, ms event time. */
  readonly paneEnd: number;
  /** Models by name, in code-point order. */
  readonly models: readonly string[];
  /** Models that are not evaluated; undefined if all are. */
  readonly modelsLeftOut?: ModelsLeftOut;
  readonly catalogueSize: number;
  /** Name of the built-in model among the windows' models; null if it is off or replaced. */
  readonly baseline: string | null;
  readonly propensity: PropensityReport;
  readonly popularity: {
    readonly interactions: Concentration;
    readonly exposures: Readonly<Record<string, Concentration>>;
  };
  /** Lorenz curves of the counts in `popularity`, 101 points each; empty if nothing was counted. */
  readonly lorenz: {
    readonly interactions: readonly number[];
    readonly exposures: Readonly<Record<string, readonly number[]>>;
  };
  readonly windows: readonly WindowSnapshot[];
  /**
   * Start of the counts behind popularity, event time in ms, exact to a 240th of the horizon;
   * undefined without a horizon or without interactions.
   */
  readonly popularitySince?: number;
  /** Fraction of the users whose rows are in the windows; 1 without sampling. */
  readonly sampling: { readonly ratio: number };
  /** Users seen in several partitions; undefined if there are none. */
  readonly homes?: UserPartitions;
  /** Users with far more interactions than others; undefined unless popularity caps users. */
  readonly heavyUsers?: HeavyUsers;
  /** Alarms that are still displayed, oldest first. */
  readonly alarms: readonly Alarm[];
  /**
   * Displayed notices, which are not alarms; undefined unless the lists of models are monitored.
   */
  readonly notices?: readonly Notice[];
  /** Verdicts on pairs of models; undefined if switched off. */
  readonly verdicts?: readonly PairVerdict[];
  /** Whether the snapshot was computed later, from stored rows. */
  readonly isBackfilled?: true;
  /** True values, with simulated traffic only. */
  readonly truth?: readonly TrueValue[];
}

/**
 * List the windows that were computed on schedule with the snapshot's pane. An output that writes
 * only these windows writes each one once, even after a restart.
 *
 * @example
 * const window = (name, to, more) => ({ name, to, ...more });
 * const windows = [window('1h', 60), window('24h', 50), window('7d', 60, { isEarly: true })];
 * dueWindows({ paneEnd: 60, windows }).map(({ name }) => name); // ['1h']
 */
export function dueWindows<Window extends Pick<WindowSnapshot, 'to' | 'isEarly'>>({
  paneEnd,
  windows,
}: {
  readonly paneEnd: number;
  readonly windows: readonly Window[];
}): readonly Window[] {
  return windows.filter(({ to, isEarly }) => to === paneEnd && isEarly !== true);
}
