import type { ExponentTest } from '../estimators/diagnostics/exponent-test.js';
import type { Measure } from '../estimators/metrics/metric-gain.js';
import type { EstimateOptions } from '../estimators/options.js';
import type { WindowEstimates } from '../estimators/results/window-estimates.js';
import type { Popularity } from '../state/counts/popularity.js';
import type { Interner } from '../state/ids/interner.js';
import type { EarningAction, ExperimentEvents } from '../state/panes/experiment-events.js';
import type { RowSource, WindowPanes } from '../state/panes/group-by-user.js';
import type { PaneRows } from '../state/panes/pane-rows.js';
import type { ItemCounts, WindowPart } from '../state/panes/window-part.js';
import type { WindowRequests } from '../state/requests/pane-requests.js';
import type { FeatureOptions, LearnedTexts, WindowReports } from '../stream/feature-types.js';
import type { NamedModel } from '../stream/ids.js';
import type { PropensityReport, Snapshot } from '../stream/tick/snapshot.js';
import type { PairEvidence } from './evidence.js';

/** The rows of a window before estimation. */
export interface WindowRows {
  readonly window: WindowPanes;
  /** Names of the models, in the order of the rows' columns. */
  readonly models: readonly string[];
  readonly catalogueSize: number;
  /**
   * Number of interactions over the horizon from which a user counts as too active and is left out.
   */
  readonly heavyFrom: number;
  /** All rows of the window. */
  readonly whole: WindowPart;
  /** Rows of the users below `heavyFrom`. */
  readonly lighter: WindowPart;
  /** Returns a user's id by number, if known. */
  readonly nameOf?: ((user: number) => string) | undefined;
}

/** The data of a tick that computations of features can use. */
export interface TickView {
  readonly options: FeatureOptions & {
    readonly tickMs: number;
    readonly isWholeLog?: boolean;
  };
  /** Options of estimates, with the γ of this tick. */
  readonly estimates: EstimateOptions;
  readonly ids: { readonly items: Interner };
  /** Models, in the order of the rows' columns. */
  readonly models: readonly NamedModel[];
  /** Numbers of the models that sent a list since the previous tick. */
  readonly listing?: readonly number[];
  readonly windows: readonly WindowPanes[];
  readonly counted: { readonly observed: Popularity };
  readonly counts: ItemCounts;
  readonly propensity: PropensityReport;
  readonly exponentTest: ExponentTest | null;
  readonly heavyFrom: number;
  /**
   * For each partition: all stored rows; counts and keys of their users (`source`) and the events
   * of A/B tests, if known.
   */
  readonly partitions: readonly {
    readonly rows: readonly PaneRows[];
    readonly source?: RowSource;
    readonly experiment?: readonly ExperimentEvents[] | undefined;
  }[];
  /**
   * All stored requests, by pane; empty if no feature uses them. User numbers are the same as in
   * the rows of windows.
   */
  readonly requests: readonly WindowRequests[];
}

/** Options that decide which features run. */
export type AskedOptions = FeatureOptions & {
  readonly estimates: Pick<EstimateOptions, 'feedback'>;
};

/** The computation of a feature for each window, as plain functions of plain data. */
export interface FeatureWork<Tick = unknown> {
  /** Additional columns of rows that the feature reads. */
  readonly columns?: readonly 'rated'[];
  /** Whether the feature is configured. */
  isAsked(options: AskedOptions): boolean;
  /**
   * How long a request collects lists and rewards, ms; undefined if the feature does not use
   * requests.
   */
  requestHorizonMs?(options: FeatureOptions): number | undefined;
  /**
   * The action whose reward an A/B test compares; undefined if the feature does not look for a
   * test.
   */
  experiment?(options: FeatureOptions): { readonly earning: EarningAction | undefined } | undefined;
  /** Settings that stored state depends on, by configuration key. */
  settings?(options: FeatureOptions): Readonly<Record<string, unknown>>;
  /** Compute what all windows of a tick share. */
  begin?(view: TickView): Tick;
  /** Compute the feature's reports on a window, by their names in snapshots. */
  window(rows: WindowRows, view: TickView, tick: Tick): WindowReports;
  /** Compute reports that depend on the window's estimates and on the reports of all features. */
  conclude?(estimates: WindowEstimates, reports: WindowReports): WindowReports;
  /**
   * Evidence on pairs of models if a window is evaluated once; undefined if that is not configured.
   */
  evidence?(snapshot: Snapshot, options: FeatureOptions): readonly PairEvidence[] | undefined;
}

/** A feature that learns from tick to tick. */
export interface AcrossTicks<Sources = unknown> {
  /** Name under which the state is stored. */
  readonly name: keyof LearnedTexts;
  /** Start without learned state; undefined if the feature is not configured. */
  start(options: FeatureOptions & { readonly maxModels: number }):
    | {
        /** Add the feature's results to a snapshot. */
        observe(snapshot: Snapshot, sources: Sources): Snapshot;
        /** Learned state as text for `restore`; to be called between two ticks. */
        stored(): string;
        restore(text: string): void;
      }
    | undefined;
  /** The data of a tick that the feature needs beside the snapshot. */
  sources(view: TickView): Sources;
  /** Remove users from a stored state, by their keys. */
  forget?(stored: string, keys: readonly number[]): string;
  /** How long the feature continues to monitor a model that sends no lists, ms. */
  watchedMs?(options: FeatureOptions): number;
  /** The metric by which the feature compares models. */
  measure?(options: FeatureOptions): Measure | undefined;
  /** Results for a single snapshot that no other follows, as in an evaluation of files. */
  once?(snapshot: Snapshot, options: FeatureOptions): Pick<Snapshot, 'verdicts' | 'experiment'>;
}
