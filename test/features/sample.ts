import type { MonitorOptions } from '../../src/stream/options.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import type { Event } from '../support/log.js';

type Settings = Readonly<Record<string, unknown>>;

/** A log in which a feature has something to say, and what asks it to. */
export interface FeatureSample {
  readonly events: readonly Event[];
  /** Settings by their path, beside those that all samples have. */
  readonly asked: Settings;
  /** The options without the feature. */
  off(options: MonitorOptions): MonitorOptions;
  /** The families of its rows. */
  readonly families: readonly string[];
  /** How many numbers or words it has in a snapshot. */
  says(snapshot: Snapshot): number;
}

/** The options without one of their parts. */
export const without =
  (part: keyof MonitorOptions) =>
  ({ [part]: _, ...options }: MonitorOptions): MonitorOptions =>
    options as MonitorOptions;
