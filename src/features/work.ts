import type { WindowPart } from '../state/panes/window-part.js';
import type { FeatureName, FeatureOptions, WindowReports } from '../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../stream/snapshot.js';
import type { DriftOptions } from './drift/drift-options.js';
import type { LevelReading } from './drift/reading.js';
import type { PairVerdict } from './verdicts/pair-verdict.js';

/** What a window holds before it is estimated. */
export interface WindowRows {
  /** Event time, ms: from ≤ ts < to. */
  readonly window: { readonly from: number; readonly to: number };
  /** Names, in the order of the parts' columns. */
  readonly models: readonly string[];
  readonly catalogueSize: number;
  /** Interactions from which on a user's rows are left out. */
  readonly heavyFrom: number;
  readonly parts: readonly {
    readonly part: WindowPart;
    readonly nameOf?: ((user: number) => string) | undefined;
  }[];
}

/** What a feature sees of a tick; `TickInput` is one. */
export interface TickView {
  readonly options: FeatureOptions & { readonly isWholeLog?: boolean };
  readonly ids: { readonly items: { text(item: number): string } };
}

/** What a feature computes: plain functions of plain options. */
export interface FeatureWork<Name extends FeatureName = FeatureName, Tick = unknown> {
  readonly name: Name;
  /** Features whose reports it reads. */
  readonly after?: readonly FeatureName[];
  /** Columns of rows that it reads, beside those that all have. */
  readonly columns?: readonly 'rated'[];
  isAsked(options: FeatureOptions): boolean;
  /** Settings that kept state depends on, by the names they are configured under. */
  settings?(options: FeatureOptions): Readonly<Record<string, unknown>>;
  /** What all windows of a tick share. */
  begin?(input: TickView): Tick;
  window(
    rows: WindowRows,
    input: TickView,
    tick: Tick,
  ): Generator<void, WindowReports[Name] | undefined>;
  /** Which of two models is better, where one look decides. */
  verdicts?(snapshot: Snapshot, options: FeatureOptions): readonly PairVerdict[];
  decides?(options: FeatureOptions): boolean;
  /** Series for the detectors of change. */
  readings?(snapshot: Snapshot, window: WindowSnapshot, drift: DriftOptions): LevelReading[];
}
