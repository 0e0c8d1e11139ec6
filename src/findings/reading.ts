import { percent, whole } from '../figures/figures.js';
import type { Finding, WordsOf } from './finding.js';
import { say } from './sentence.js';
import { FAULTY_SHARE } from './thresholds.js';

/** What became of the events that were read. */
export interface ReadingCounts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly late: number;
  /** By any division of their reasons. */
  readonly faults: readonly number[];
}

/** Of all topics together. */
export function readingOf(
  topics: readonly (Omit<ReadingCounts, 'faults'> & {
    readonly faults: Readonly<Record<string, number>>;
  })[],
): ReadingCounts {
  const sum = (count: 'accepted' | 'duplicate' | 'late') =>
    topics.reduce((total, topic) => total + topic[count], 0);
  return {
    accepted: sum('accepted'),
    duplicate: sum('duplicate'),
    late: sum('late'),
    faults: topics.flatMap(({ faults }) => Object.values(faults)),
  };
}

/** Faulty events, and what share of the events they are. */
export function faultyEvents({ accepted, duplicate, late, faults }: ReadingCounts) {
  const count = faults.reduce((sum, own) => sum + own, 0);
  return { count, share: count === 0 ? 0 : count / (accepted + duplicate + late + count) };
}

/** What was left out because it could not be read. */
export function readingFindings(counts: ReadingCounts): Finding[] {
  const figures = faultyEvents(counts);
  if (figures.count === 0) return [];
  const severity = figures.share > FAULTY_SHARE ? 'caution' : 'note';
  return [{ code: 'faulty_events', severity, subject: {}, figures }];
}

/** What speaks against the newest numbers of a service. */
export function serviceFindings({ ready }: { readonly ready: boolean }): Finding[] {
  if (ready) return [];
  return [{ code: 'still_reading', severity: 'problem', subject: {}, figures: {} }];
}

/** Of who reads a service's stream and is cut off from it. */
export const STREAM_CUT: Finding<'stream_cut'> = {
  code: 'stream_cut',
  severity: 'problem',
  subject: {},
  figures: {},
};

export const READING_WORDS: WordsOf<'faulty_events' | 'still_reading' | 'stream_cut'> = {
  faulty_events: ({ figures }) =>
    say`${whole(figures.count)} faulty events (${percent(figures.share, 1)}) were left out.`,
  still_reading: () => say`The service is still reading what came before.`,
  stream_cut: () => say`The stream is cut and what you see is old.`,
};
