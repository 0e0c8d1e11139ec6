import type { PairEvidence } from '../features/evidence.js';
import type { LeadingNumbers } from '../rows/leading-numbers.js';

/**
 * Options that features add to a stream, each under its own name. A feature declares them in its
 * folder (`declare module`), so they go with the folder. Options are plain data, since they cross
 * threads and go into checkpoints.
 */
export interface FeatureOptions {
  /**
   * Returns the model marks so far; called at each tick. The only option that is not plain data.
   */
  readonly modelMarks?: (() => readonly ModelMark[]) | undefined;
}

/** A mark that a model changed, so what was learned about it before is no longer valid. */
export interface ModelMark {
  readonly model: string;
  /** When, event time, ms. */
  readonly time: number;
}

/** What features say of a window; only there where they are asked for. */
export interface WindowReports {
  /** Which numbers to look at first; only there where causes are followed. */
  readonly leads?: LeadingNumbers;
  /** Models all of whose shown lists were drawn at random: they are nobody’s choice. */
  readonly drawnModels?: readonly string[];
  /** What values say of pairs: verdicts rest on it. */
  readonly valueEvidence?: readonly PairEvidence[];
}

/** What features say of a whole snapshot. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface SnapshotReports {}

/** What features leave to ticks of another process, each under the name that it is stored by. */
export interface LearnedTexts {
  /** What the detectors of change have learned, over all partitions. */
  readonly drift?: string | undefined;
  /** What models gained since each of them began, and the verdicts on them. */
  readonly decision?: string | undefined;
}

export type FeatureName = keyof WindowReports;

/** What one feature says, where it says something. */
export type ReportOf<Name extends FeatureName> = NonNullable<WindowReports[Name]>;
