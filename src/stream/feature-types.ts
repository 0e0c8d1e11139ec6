import type { PairEvidence } from '../features/evidence.js';
import type { LeadingNumbers } from '../rows/leading-numbers.js';

/**
 * Options that features add to a stream, each under its own name. A feature declares them in its
 * folder (`declare module`), so they go with the folder. Options are plain data, since they cross
 * threads and go into checkpoints.
 */
export interface FeatureOptions {
  /** Returns the model marks so far; called at each tick. The only option that is not plain data. */
  readonly modelMarks?: (() => readonly ModelMark[]) | undefined;
}

/** A mark that a model changed, so that results from before are no longer valid. */
export interface ModelMark {
  readonly model: string;
  /** Event time, ms. */
  readonly time: number;
}

/** Reports of features on a window, each present if configured. */
export interface WindowReports {
  /** Which numbers to read first; undefined if causes are not determined. */
  readonly leads?: LeadingNumbers;
  /** Models with randomised lists only, which no policy chose. */
  readonly drawnModels?: readonly string[];
  /** Evidence on pairs of models from values, used by verdicts. */
  readonly valueEvidence?: readonly PairEvidence[];
}

/** Reports of features on a whole snapshot. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface SnapshotReports {}

/** Learned state of features for ticks in another process, by the name under which it is stored. */
export interface LearnedTexts {
  /** Learned state of the change detectors, over all partitions. */
  readonly drift?: string | undefined;
  /** Sums and verdicts on models. */
  readonly decision?: string | undefined;
}

export type FeatureName = keyof WindowReports;

/** Report of one feature, if present. */
export type ReportOf<Name extends FeatureName> = NonNullable<WindowReports[Name]>;
