import type { TopicRole } from '../ports.js';

interface Progress {
  newest: number;
  /** When its log was last known to hold nothing more; undefined while it is not idle. */
  emptyAt: number | undefined;
}

/**
 * How far event time has come: per partition and topic the newest event, and over all of them the
 * watermark, up to which every partition has delivered what is not late.
 *
 *   watermark = min over the topic-partitions of (newest − lateness)
 *
 * A partition that has delivered nothing holds the watermark back until it is said to be idle. An
 * idle one was read to its end at a moment of the wall clock: what comes later and is older than
 * that moment by more than the lateness is late, so it stands at
 *
 *   max(newest, empty at) − lateness
 *
 * When all are idle nothing more is expected of the pane of the newest event, and it may close
 * once all of them stand behind its end.
 */
export class Watermarks {
  readonly #latenessMs: number;
  readonly #tickMs: number;
  readonly #progress = new Map<string, Progress>();

  constructor(latenessMs: number, tickMs: number) {
    this.#latenessMs = latenessMs;
    this.#tickMs = tickMs;
  }

  expect(role: TopicRole, partition: number): void {
    this.#of(role, partition);
  }

  /** Newest event time of the topic-partition; −Infinity before the first. */
  newest(role: TopicRole, partition: number): number {
    return this.#of(role, partition).newest;
  }

  advance(role: TopicRole, partition: number, newest: number): void {
    const progress = this.#of(role, partition);
    progress.newest = Math.max(progress.newest, newest);
    progress.emptyAt = undefined;
  }

  /** @param emptyAt when its log held nothing more, wall clock, ms; Infinity: nothing will come */
  setIdle(role: TopicRole, partition: number, emptyAt = Number.POSITIVE_INFINITY): void {
    this.#of(role, partition).emptyAt = emptyAt;
  }

  /** Event time before which all is in; −Infinity while that is not known. */
  value(): number {
    let watermark = Number.POSITIVE_INFINITY;
    let areIdle = true;
    for (const progress of this.#progress.values()) {
      watermark = Math.min(watermark, this.#standOf(progress));
      areIdle &&= progress.emptyAt !== undefined;
    }
    return areIdle ? Math.min(watermark, this.endOfNewestPane()) : watermark;
  }

  /**
   * How far one partition is by itself: the least of its two topics. The newest event is that of
   * both.
   */
  ofPartition(partition: number): { watermark: number; newest: number; isIdle: boolean } {
    const both = [this.#of('exposures', partition), this.#of('interactions', partition)];
    return {
      watermark: Math.min(...both.map((progress) => this.#standOf(progress))),
      newest: Math.max(...both.map(({ newest }) => newest)),
      isIdle: both.every(({ emptyAt }) => emptyAt !== undefined),
    };
  }

  /** End of the pane that holds the newest event of all; −Infinity before the first. */
  endOfNewestPane(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const progress of this.#progress.values()) newest = Math.max(newest, progress.newest);
    if (newest === Number.NEGATIVE_INFINITY) return newest;
    return (Math.floor(newest / this.#tickMs) + 1) * this.#tickMs;
  }

  #standOf({ newest, emptyAt = Number.NEGATIVE_INFINITY }: Progress): number {
    return Math.max(newest, emptyAt) - this.#latenessMs;
  }

  #of(role: TopicRole, partition: number): Progress {
    const key = `${role}/${partition}`;
    let progress = this.#progress.get(key);
    if (progress === undefined) {
      progress = { newest: Number.NEGATIVE_INFINITY, emptyAt: undefined };
      this.#progress.set(key, progress);
    }
    return progress;
  }
}
