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

/** The data of a window before estimation. */
export interface WindowRows {
  readonly window: WindowPanes;
  /** Names, in the order of the rows' columns. */
  readonly models: readonly string[];
  readonly catalogueSize: number;
  /** Interactions from which on a user's rows are left out. */
  readonly heavyFrom: number;
  /** All rows of the window. */
  readonly whole: WindowPart;
  /** Those of users who are not heavy. */
  readonly lighter: WindowPart;
  readonly nameOf?: ((user: number) => string) | undefined;
}

/** What a feature sees of a tick. */
export interface TickView {
  readonly options: FeatureOptions & {
    readonly tickMs: number;
    readonly isWholeLog?: boolean;
  };
  /** With the γ of this tick. */
  readonly estimates: EstimateOptions;
  readonly ids: { readonly items: Interner };
  /** By name, in the order of columns. */
  readonly models: readonly NamedModel[];
  /** Models that had a list since the tick before. */
  readonly listing?: readonly number[];
  readonly windows: readonly WindowPanes[];
  readonly counted: { readonly observed: Popularity };
  readonly counts: ItemCounts;
  readonly propensity: PropensityReport;
  readonly exponentTest: ExponentTest | null;
  readonly heavyFrom: number;
  /** All rows that are kept, and what is known of their users, by partition. */
  readonly partitions: readonly {
    readonly rows: readonly PaneRows[];
    readonly source?: RowSource;
    readonly experiment?: readonly ExperimentEvents[] | undefined;
  }[];
  /**
   * All requests that are kept, pane by pane; none where nobody asks for them. Users have one number
   * each, as in the rows of windows.
   */
  readonly requests: readonly WindowRequests[];
}

/** Options that features receive. */
export type AskedOptions = FeatureOptions & {
  readonly estimates: Pick<EstimateOptions, 'feedback'>;
};

/** What a feature computes: plain functions of plain options. */
export interface FeatureWork<Tick = unknown> {
  /** Columns of rows that it reads, beside those that all have. */
  readonly columns?: readonly 'rated'[];
  isAsked(options: AskedOptions): boolean;
  /** How long requests take lists and rewards, ms, where it reads requests. */
  requestHorizonMs?(options: FeatureOptions): number | undefined;
  /** What earns in an A/B test, where it looks for one. */
  experiment?(options: FeatureOptions): { readonly earning: EarningAction | undefined } | undefined;
  /** Settings that kept state depends on, by the names they are configured under. */
  settings?(options: FeatureOptions): Readonly<Record<string, unknown>>;
  /** What all windows of a tick share. */
  begin?(view: TickView): Tick;
  /** What it says of a window, by the names that snapshots have for it. */
  window(rows: WindowRows, view: TickView, tick: Tick): WindowReports;
  /** What follows from the window's estimates and from what all features say of it. */
  conclude?(estimates: WindowEstimates, reports: WindowReports): WindowReports;
  /** What it says of pairs of models, for one look; undefined where that is not asked. */
  evidence?(snapshot: Snapshot, options: FeatureOptions): readonly PairEvidence[] | undefined;
}

/** What a feature learns from tick to tick. */
export interface AcrossTicks<Sources = unknown> {
  /** Under which what it has learned is stored. */
  readonly name: keyof LearnedTexts;
  /** Undefined where it is not asked for. */
  start(options: FeatureOptions & { readonly maxModels: number }):
    | {
        /** The snapshot with what the feature says of it. */
        observe(snapshot: Snapshot, sources: Sources): Snapshot;
        /** What `restore` takes; to be asked for between two ticks. */
        stored(): string;
        restore(text: string): void;
      }
    | undefined;
  /** What it reads of a tick beside the snapshot. */
  sources(view: TickView): Sources;
  /** What it has learned, as `stored` gives it, without the users of these keys. */
  forget?(stored: string, keys: readonly number[]): string;
  /** For how long it goes on watching a model that sends no lists, ms. */
  watchedMs?(options: FeatureOptions): number;
  /** The metric that it goes by. */
  measure?(options: FeatureOptions): Measure | undefined;
  /** What it says of a snapshot that no other follows. */
  once?(snapshot: Snapshot, options: FeatureOptions): Pick<Snapshot, 'verdicts' | 'experiment'>;
}
