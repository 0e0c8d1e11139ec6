import type { LeadingNumbers } from '../rows/leading-numbers.js';

/**
 * What features add to the options of a stream and to a window, each under its own name: a feature
 * declares it in its folder (`declare module`), so that it goes with the folder. Options are plain
 * data: they cross threads and stand in checkpoints.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface FeatureOptions {}

/** What features say of a window; only there where they are asked for. */
export interface WindowReports {
  /** Which numbers to look at first; only there where causes are followed. */
  readonly leads?: LeadingNumbers;
}

/** What features say of a whole snapshot. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface SnapshotReports {}

/** What features leave to ticks of another process, each under the name that it is stored by. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it.
export interface LearnedTexts {}

export type FeatureName = keyof WindowReports;

/** What one feature says, where it says something. */
export type ReportOf<Name extends FeatureName> = NonNullable<WindowReports[Name]>;
