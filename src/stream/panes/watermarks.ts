import type { TopicRole } from '../ports.js';
import { type SourceProgress, SourceTimes, type StoredSources } from './source-times.js';

interface Progress {
  /** Newest time of its events, ms. */
  newest: number;
  /** Its newest event, ms; ahead of `newest` where the clock of its user is. */
  newestEvent: number;
  /** When its log was last known to hold nothing more; undefined while it is not idle. */
  emptyAt: number | undefined;
  /** Where others have brought its records there from; undefined if nobody has. */
  sources?: SourceTimes;
}

/**
 * Progress of event time by topic-partition, and the watermark over all: up to it, every event that
 * is not late has arrived. `EventIntake` reports the newest time of a partition (`newest`).
 *
 *   watermark = min over the topic-partitions of (newest − hold)
 *
 * The hold is the lateness and the clock skew: then the lists are in that an interaction before the
 * watermark may come a little before.
 *
 * A partition that has delivered nothing holds the watermark back until it is said to be idle. An
 * idle one was read to its end at a moment of the wall clock: what comes later and is older than
 * that moment by more than the lateness is late, so it stands at
 *
 *   max(newest, empty at) − hold
 *
 * Where others have brought the records there (`SourceTimes`), it stands at the least newest event of
 * its sources − hold, idle or not: there may be more at a source.
 *
 * When all are idle nothing more is expected of the pane of the newest event, and it may close
 * once all of them stand behind its end.
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

  /** The same of one whose records others bring: nothing is known before they have said how far they are. */
  expectSources(role: TopicRole, partition: number): void {
    this.#sourcesOf(role, partition);
  }

  /** How far time has come by the events of the topic-partition, ms; −Infinity before the first. */
  newest(role: TopicRole, partition: number): number {
    return this.#of(role, partition).newest;
  }

  /** What is older than this by more than the lateness is late, whatever its source; ms. */
  settled(role: TopicRole, partition: number): number {
    const { newest, sources } = this.#of(role, partition);
    return sources === undefined ? newest : Math.min(newest, sources.stand);
  }

  /** @param newestEvent its newest event, ms, which time may not have come to */
  advance(role: TopicRole, partition: number, newest: number, newestEvent = newest): void {
    const progress = this.#of(role, partition);
    progress.newest = Math.max(progress.newest, newest);
    progress.newestEvent = Math.max(progress.newestEvent, newestEvent);
    progress.emptyAt = undefined;
  }

  /** @param emptyAt when its log held nothing more, wall clock, ms; Infinity: nothing will come */
  setIdle(role: TopicRole, partition: number, emptyAt = Number.POSITIVE_INFINITY): void {
    const progress = this.#of(role, partition);
    if (progress.sources === undefined) {
      progress.emptyAt = emptyAt;
    }
  }

  /**
   * An event comes from a source.
   *
   * @returns the newest event time of the source, by which it is judged whether the event is late
   */
  noteSource(role: TopicRole, partition: number, source: string, newest: number): number {
    return this.#sourcesOf(role, partition).note(source, newest);
  }

  /** Record the reported progress of all sources of the partition. */
  progressed(role: TopicRole, partition: number, progress: SourceProgress): void {
    this.#sourcesOf(role, partition).progressed(progress);
  }

  /** To be kept; undefined where the partition has no sources. */
  storedSources(role: TopicRole, partition: number): StoredSources | undefined {
    return this.#of(role, partition).sources?.stored;
  }

  /** Takes back what was kept. */
  restoreSources(role: TopicRole, partition: number, stored: StoredSources): void {
    this.#of(role, partition).sources = SourceTimes.read(stored);
  }

  /** Event time before which all is in; −Infinity while that is not known. */
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
   * How far one partition is by itself: the least of its two topics. The newest event is that of
   * both.
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

  /** End of the pane that holds the newest event of all; −Infinity before the first. */
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
