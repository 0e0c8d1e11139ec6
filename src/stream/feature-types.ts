import type { PairEvidence } from '../features/evidence.js';
import type { LeadingNumbers } from '../rows/leading-numbers.js';

/**
 * Options that features add to a stream, each under its own name. A feature declares its options in
 * its own folder (`declare module`), so removing the folder removes them. Options are plain data,
 * since they are passed between threads and stored in checkpoints.
 */
export interface FeatureOptions {
  /** Returns the model marks so far; called at each tick. The only option that is not plain data. */
  readonly modelMarks?: (() => readonly ModelMark[]) | undefined;
}

/**
 * A mark that a model was changed at some time, so that earlier results about it no longer apply.
 */
export interface ModelMark {
  readonly model: string;
  /** Event time, ms. */
  readonly time: number;
}

/** What features report on a window; each entry is present if its feature is configured. */
export interface WindowReports {
  /**
   * Which numbers are the main result of the window; undefined if interactions are not traced to
   * lists.
   */
  readonly leads?: LeadingNumbers;
  /**
   * Names of the models that served only randomised lists. No ranking of such a model was served.
   */
  readonly drawnModels?: readonly string[];
  /** Evidence from reward per request on which of two models is better, for the verdicts. */
  readonly valueEvidence?: readonly PairEvidence[];
}

/** What features report on a whole snapshot. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface SnapshotReports {}

/**
 * Learned state of features as text, by the name under which it is stored. Another process
 * continues the ticks from it.
 */
export interface LearnedTexts {
  /** Learned state of the change detectors, over all partitions. */
  readonly drift?: string | undefined;
  /** Sums and verdicts on pairs of models. */
  readonly decision?: string | undefined;
}

/** Name of a feature's report on a window. */
export type FeatureName = keyof WindowReports;

/** Report of one feature, if present. */
export type ReportOf<Name extends FeatureName> = NonNullable<WindowReports[Name]>;
