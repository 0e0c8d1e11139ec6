import type { TopicRole } from '../ports.js';
import { type SourceProgress, SourceTimes, type StoredSources } from './source-times.js';

interface Progress {
  /** Progress of event time, ms. */
  newest: number;
  /**
   * Event time of the newest event, ms. It is after `newest` if the clock of the event's user is
   * fast.
   */
  newestEvent: number;
  /** Time at which the log was last read to its end, wall clock, ms; undefined while not idle. */
  emptyAt: number | undefined;
  /** Progress of the original sources, if an intake writes the records. */
  sources?: SourceTimes;
}

/**
 * Progress of event time by topic-partition, and the watermark over all of them: every event up to
 * the watermark that is not late has arrived. `EventIntake` reports the progress of a
 * topic-partition (`newest`).
 *
 *   watermark = min over the topic-partitions of (newest − hold)
 *
 * The hold is the lateness plus the clock skew, so that lists slightly after an interaction have
 * arrived too.
 *
 * A topic-partition without events holds the watermark back until it is idle. Idle means that it
 * was read to its end at a known time of the wall clock. A record that arrives afterwards and is
 * older than that time by more than the lateness is late, so the progress of an idle one is
 *
 *   max(newest, empty at) − hold
 *
 * If an intake writes the records, the progress is `SourceTimes.stand` − hold, the least over all
 * sources. This applies to an idle topic-partition too, since a source may have more events.
 *
 * When all topic-partitions are idle, the watermark stops at the end of the newest event's pane.
 */
export class Watermarks {
  readonly #holdMs: number;
  readonly #tickMs: number;
  readonly #progress = new Map<string, Progress>();

  constructor(holdMs: number, tickMs: number) {
    this.#holdMs = holdMs;
    this.#tickMs = tickMs;
  }

  expect(role: TopicRole, partition: number): void {
    this.#of(role, partition);
  }

  /** Expect reports from an intake for this partition; until then its progress is unknown. */
  expectSources(role: TopicRole, partition: number): void {
    this.#sourcesOf(role, partition);
  }

  /** Progress of event time of the topic-partition, ms; −Infinity before the first event. */
  newest(role: TopicRole, partition: number): number {
    return this.#of(role, partition).newest;
  }

  /**
   * Event time that all sources of the topic-partition have reached, ms; without sources, the
   * progress of the topic-partition.
   */
  settled(role: TopicRole, partition: number): number {
    const { newest, sources } = this.#of(role, partition);
    return sources === undefined ? newest : Math.min(newest, sources.stand);
  }

  /**
   * Advance the progress of a topic-partition after a batch; the partition is then not idle.
   *
   * @param newestEvent time of its newest event, ms, which may be after `newest`
   */
  advance(role: TopicRole, partition: number, newest: number, newestEvent = newest): void {
    const progress = this.#of(role, partition);
    progress.newest = Math.max(progress.newest, newest);
    progress.newestEvent = Math.max(progress.newestEvent, newestEvent);
    progress.emptyAt = undefined;
  }

  /**
   * Mark a topic-partition as idle, since its log was read to the end.
   *
   * @param emptyAt when its log was at its end, wall clock, ms; Infinity if nothing more will come
   */
  setIdle(role: TopicRole, partition: number, emptyAt = Number.POSITIVE_INFINITY): void {
    const progress = this.#of(role, partition);
    if (progress.sources === undefined) {
      progress.emptyAt = emptyAt;
    }
  }

  /**
   * Record an event's source.
   *
   * @returns the newest event time of the source, by which lateness is judged
   */
  noteSource(role: TopicRole, partition: number, source: string, newest: number): number {
    return this.#sourcesOf(role, partition).note(source, newest);
  }

  /** Record the reported progress of all sources of the partition. */
  progressed(role: TopicRole, partition: number, progress: SourceProgress): void {
    this.#sourcesOf(role, partition).progressed(progress);
  }

  /** Progress to store; undefined if the partition has no sources. */
  storedSources(role: TopicRole, partition: number): StoredSources | undefined {
    return this.#of(role, partition).sources?.stored;
  }

  /** Restore stored progress. */
  restoreSources(role: TopicRole, partition: number, stored: StoredSources): void {
    this.#of(role, partition).sources = SourceTimes.read(stored);
  }

  /** The watermark, event time in ms; −Infinity if unknown. */
  value(): number {
    let watermark = Number.POSITIVE_INFINITY;
    let areIdle = true;
    for (const progress of this.#progress.values()) {
      watermark = Math.min(watermark, this.#standOf(progress));
      areIdle &&= progress.sources?.isIdle ?? progress.emptyAt !== undefined;
    }
    return areIdle ? Math.min(watermark, this.endOfNewestPane()) : watermark;
  }

  /**
   * Watermark of one partition, that is, the smaller one of its two topics. `newest` is the larger
   * progress of the two topics; `isIdle` is true if both are idle.
   */
  ofPartition(partition: number): {
    watermark: number;
    newest: number;
    isIdle: boolean;
  } {
    const both = [this.#of('exposures', partition), this.#of('interactions', partition)];
    return {
      watermark: Math.min(...both.map((progress) => this.#standOf(progress))),
      newest: Math.max(...both.map(({ newest }) => newest)),
      isIdle: both.every(({ emptyAt, sources }) => sources?.isIdle ?? emptyAt !== undefined),
    };
  }

  /** End of the pane of the newest event; −Infinity before the first event. */
  endOfNewestPane(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const { newestEvent } of this.#progress.values()) {
      newest = Math.max(newest, newestEvent);
    }
    if (newest === Number.NEGATIVE_INFINITY) return newest;
    return (Math.floor(newest / this.#tickMs) + 1) * this.#tickMs;
  }

  #sourcesOf(role: TopicRole, partition: number): SourceTimes {
    const progress = this.#of(role, partition);
    progress.emptyAt = undefined;
    progress.sources ??= new SourceTimes();
    return progress.sources;
  }

  #standOf({ newest, emptyAt = Number.NEGATIVE_INFINITY, sources }: Progress): number {
    if (sources !== undefined) return sources.stand - this.#holdMs;
    return Math.max(newest, emptyAt) - this.#holdMs;
  }

  #of(role: TopicRole, partition: number): Progress {
    const key = `${role}/${partition}`;
    let progress = this.#progress.get(key);
    if (progress === undefined) {
      progress = {
        newest: Number.NEGATIVE_INFINITY,
        newestEvent: Number.NEGATIVE_INFINITY,
        emptyAt: undefined,
      };
      this.#progress.set(key, progress);
    }
    return progress;
  }
}
