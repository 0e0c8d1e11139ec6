import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { DriftCounts } from './drift-readings.js';

/** What the detectors see of a tick, beside its snapshot. */
export interface DriftSources extends DriftCounts {
  readonly items: {
    readonly size: number;
    text(item: number): string;
    compare(a: number, b: number): number;
  };
  /** Rows of all partitions that are still kept. */
  readonly rows: Iterable<PaneRows>;
  readonly tickMs: number;
  /** Models that had a list since the tick before. */
  readonly listing?: readonly string[];
}
