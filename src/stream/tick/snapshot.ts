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
  /** Share of the total that the most popular 1 % of the catalogue holds. */
  readonly topShare: number;
  /** Mean popularity n_i of what was counted: Σ N_i n_i / Σ N_i. */
  readonly averagePopularity: number;
}

export interface PropensityReport {
  /** γ that the estimators used, and β = (γ + 1) / 2. */
  readonly gamma: number;
  /** Standard error of a fitted γ, which intervals allow for; 0 where γ is fixed or the default. */
  readonly gammaStdErr: number;
  readonly beta: number;
  /** `fit`: this tick's; `last_good`: an earlier tick's; `fixed`: configured; `calibrated`: with randomised traffic; `assumed`: nothing tells it, or no fit was ever good. */
  readonly source: UsedGammaSource;
  /** Which of the two fits is used, where one is. */
  readonly fit: GammaFitName;
  /** Per model, and under `*` for all models together. */
  readonly fits: Readonly<Record<string, GammaFit>>;
  /** Where γ is left to the data: what it was chosen by. */
  readonly auto?: GammaEvidence & {
    /** Another source that would be better, and for how many ticks it has been. */
    readonly asking?: {
      readonly source: SourcedGamma['source'];
      readonly ticks: number;
    };
  };
}

/** What γ is chosen by where it is left to the data. */
export interface GammaEvidence {
  /** β of randomised traffic against popularity. */
  readonly calibration: Calibration;
  /** γ of the exposures of all models. */
  readonly exposures: GammaInterval;
}

export interface WindowSnapshot extends WindowEstimates, WindowReports {
  /** As configured, e.g. `1h`. */
  readonly name: string;
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  /** The end of the snapshot's pane, or an earlier one: of a window that is not computed at every tick. */
  readonly to: number;
  /** When users got other pseudonyms, event time, ms; only where that is in the window's numbers. */
  readonly renamedAt?: number;
  /** Computed before its time, since the process has just begun. */
  readonly isEarly?: true;
  /**
   * Mean popularity of the items that each model showed in this window, NaN where it showed none,
   * and of the interactions.
   */
  readonly averageRecommendationPopularity: Readonly<Record<string, number>>;
  readonly averageInteractionPopularity: number;
  /**
   * Of randomised positives over the horizon, so the same in all windows of a tick; null where there
   * are none, or popularity counts them.
   */
  readonly exponentTest: ExponentTest | null;
  /** Every model's estimates less the built-in model's; empty without one. */
  readonly againstBaseline: readonly BaselineDifference[];
  /** The configured reference model, where no list is of it and so nothing is compared. */
  readonly referenceAway?: string;
}

/** Models that send lists and are not evaluated, because there are more than may be. */
export interface ModelsLeftOut {
  /** At least this many. */
  readonly models: number;
  /** Some of their names. */
  readonly names: readonly string[];
}

/** Everything that comes of a closed pane: immutable, shared by the exporter, the API and the page. */
export interface Snapshot extends SnapshotReports {
  /** End of the pane, ms event time. */
  readonly paneEnd: number;
  /** Models by name, in code-point order. */
  readonly models: readonly string[];
  /** Only there where models found no place. */
  readonly modelsLeftOut?: ModelsLeftOut;
  readonly catalogueSize: number;
  /** Name of the built-in model among the windows' models; null where it is off or stepped back. */
  readonly baseline: string | null;
  readonly propensity: PropensityReport;
  readonly popularity: {
    readonly interactions: Concentration;
    readonly exposures: Readonly<Record<string, Concentration>>;
  };
  /** Lorenz curves of the same counts, 101 points each; none where nothing was counted. */
  readonly lorenz: {
    readonly interactions: readonly number[];
    readonly exposures: Readonly<Record<string, readonly number[]>>;
  };
  readonly windows: readonly WindowSnapshot[];
  /**
   * Event time, ms, where what popularity counts begins, to a 240th of its horizon; only where it has a
   * horizon, and an interaction was counted.
   */
  readonly popularitySince?: number;
  /** Share of the users whose rows, lists and counts the windows are made from; 1: all of them. */
  readonly sampling: { readonly ratio: number };
  /** In which partitions users are seen; only where some are in several. */
  readonly homes?: UserPartitions;
  /** Users with far more interactions than others; only where popularity holds users to a cap. */
  readonly heavyUsers?: HeavyUsers;
  /** Changes that were found and that are still shown, oldest first. */
  readonly alarms: readonly Alarm[];
  /** What is new and no alarm, while it is shown; only where models are watched for their lists. */
  readonly notices?: readonly Notice[];
  /** Which of two models is better, of every pair that is judged; only where that is asked. */
  readonly verdicts?: readonly PairVerdict[];
  /** Computed of rows when it was past, and not when it was. */
  readonly isBackfilled?: true;
  /** Given with simulated traffic only. */
  readonly truth?: readonly TrueValue[];
}

/**
 * List the windows that were computed with this pane, in their order; each is written once, even
 * after a restart.
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
