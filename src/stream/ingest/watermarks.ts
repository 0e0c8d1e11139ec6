import type { TopicRole } from '../ports.js';

interface Progress {
  newest: number;
  idle: boolean;
}

/**
 * How far event time has come: per partition and topic the newest event, and over all of them the
 * watermark, up to which every partition has delivered what is not late.
 *
 *   watermark = min over the topic-partitions that are not idle of (newest − lateness)
 *
 * A partition that has delivered nothing holds the watermark back until it is said to be idle.
 * When all are idle nothing more is expected of the pane of the newest event, and it may close.
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
    progress.idle = false;
  }

  setIdle(role: TopicRole, partition: number): void {
    this.#of(role, partition).idle = true;
  }

  /** Event time before which all is in; −Infinity while that is not known. */
  value(): number {
    let watermark = Number.POSITIVE_INFINITY;
    let newest = Number.NEGATIVE_INFINITY;
    for (const progress of this.#progress.values()) {
      newest = Math.max(newest, progress.newest);
      if (!progress.idle) watermark = Math.min(watermark, progress.newest - this.#latenessMs);
    }
    if (watermark !== Number.POSITIVE_INFINITY) return watermark;
    return newest === Number.NEGATIVE_INFINITY ? newest : this.endOfNewestPane();
  }

  /**
   * How far one partition is by itself: the least of its two topics that are not idle. The newest
   * event is that of both.
   */
  ofPartition(partition: number): { watermark: number; newest: number; isIdle: boolean } {
    const both = [this.#of('exposures', partition), this.#of('interactions', partition)];
    const heard = both.filter(({ idle }) => !idle).map(({ newest }) => newest - this.#latenessMs);
    return {
      watermark: heard.length > 0 ? Math.min(...heard) : Number.NEGATIVE_INFINITY,
      newest: Math.max(...both.map(({ newest }) => newest)),
      isIdle: heard.length === 0,
    };
  }

  /** End of the pane that holds the newest event of all; −Infinity before the first. */
  endOfNewestPane(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const progress of this.#progress.values()) newest = Math.max(newest, progress.newest);
    if (newest === Number.NEGATIVE_INFINITY) return newest;
    return (Math.floor(newest / this.#tickMs) + 1) * this.#tickMs;
  }

  #of(role: TopicRole, partition: number): Progress {
    const key = `${role}/${partition}`;
    let progress = this.#progress.get(key);
    if (progress === undefined) {
      progress = { newest: Number.NEGATIVE_INFINITY, idle: false };
      this.#progress.set(key, progress);
    }
    return progress;
  }
}
