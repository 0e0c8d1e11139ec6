import type { LogEnd, TopicRole } from '../ports.js';
import type { Watermarks } from './watermarks.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

export interface IdleOptions {
  /** How long a partition has to be silent, ms. */
  readonly idleMs: number;
  /** Any clock that runs evenly, ms: silence is a stretch of time, whatever the wall clock says. */
  readonly elapsed: () => number;
}

/**
 * Which topic-partitions of this process are silent, and which are known to be read to their ends:
 * one that is both no longer holds time back, as far as the moment at which the log was asked.
 * Silence is no evidence. What the log was last known to hold is none either, once it may hold more.
 */
export class IdlePartitions {
  readonly #idleMs: number;
  readonly #elapsed: () => number;
  readonly #partitions: readonly number[];
  readonly #watermarks: Watermarks;
  readonly #silentSince = new Map<string, number>();
  readonly #reachedEnd = new Set<string>();

  constructor(partitions: readonly number[], watermarks: Watermarks, options: IdleOptions) {
    this.#partitions = partitions;
    this.#watermarks = watermarks;
    this.#idleMs = options.idleMs;
    this.#elapsed = options.elapsed;
    for (const partition of partitions) {
      for (const role of ROLES) watermarks.expect(role, partition);
    }
    this.reset();
  }

  /** Whether every partition was read to its end at least once since the log could be reached. */
  get haveCaughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(keyOf(role, p))))
    );
  }

  /** Whether that one was. */
  hasReachedEnd(role: TopicRole, partition: number): boolean {
    return this.#reachedEnd.has(keyOf(role, partition));
  }

  /** The log may hold more than it was known to: silence is counted from now. */
  reset(): void {
    const now = this.#elapsed();
    this.#reachedEnd.clear();
    for (const partition of this.#partitions) {
      for (const role of ROLES) this.#silentSince.set(keyOf(role, partition), now);
    }
  }

  /** Events have come. */
  hear(role: TopicRole, partition: number): void {
    this.#silentSince.set(keyOf(role, partition), this.#elapsed());
  }

  /** It is read to the end that was last known. */
  reachEnd(role: TopicRole, partition: number): void {
    this.#reachedEnd.add(keyOf(role, partition));
  }

  /**
   * Lets time go on without those that are silent and read to the end that the log has now.
   *
   * @param ends what the log answered
   * @param askedAt when it was asked, wall clock, ms
   * @returns whether there are any
   */
  notice(ends: readonly LogEnd[], askedAt: number): boolean {
    const since = this.#elapsed() - this.#idleMs;
    let areAny = false;
    for (const { role, partition, next, end } of ends) {
      const silentSince = this.#silentSince.get(keyOf(role, partition));
      if (silentSince === undefined || silentSince > since || next < end) continue;
      this.#watermarks.setIdle(role, partition, askedAt);
      areAny = true;
    }
    return areAny;
  }
}

function keyOf(role: TopicRole, partition: number): string {
  return `${role}/${partition}`;
}
