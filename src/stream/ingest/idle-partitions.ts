import type { TopicRole } from '../ports.js';
import type { Watermarks } from './watermarks.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/**
 * Which topic-partitions of this process are read to their ends, and since when they are silent: a
 * partition that has been so for long enough no longer holds time back.
 */
export class IdlePartitions {
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #partitions: readonly number[];
  readonly #watermarks: Watermarks;
  readonly #silentSince = new Map<string, number>();
  readonly #atEnd = new Set<string>();
  readonly #reachedEnd = new Set<string>();

  /** @param now wall clock, ms since the epoch */
  constructor(
    partitions: readonly number[],
    watermarks: Watermarks,
    { idleMs, now }: { readonly idleMs: number; readonly now: () => number },
  ) {
    this.#partitions = partitions;
    this.#watermarks = watermarks;
    this.#idleMs = idleMs;
    this.#now = now;
    for (const partition of partitions) {
      for (const role of ROLES) {
        watermarks.expect(role, partition);
        this.#silentSince.set(keyOf(role, partition), now());
      }
    }
  }

  /** Whether every partition was read to its end at least once since it was assigned. */
  get haveCaughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(keyOf(role, p))))
    );
  }

  /** Records have come. */
  hear(role: TopicRole, partition: number): void {
    const key = keyOf(role, partition);
    this.#atEnd.delete(key);
    this.#silentSince.set(key, this.#now());
  }

  /** It is read to its end. */
  reachEnd(role: TopicRole, partition: number): void {
    const key = keyOf(role, partition);
    this.#atEnd.add(key);
    this.#reachedEnd.add(key);
  }

  /** Lets time go on without those that are silent; @returns whether there are any. */
  noticeSilence(): boolean {
    const now = this.#now();
    let areAny = false;
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        const key = keyOf(role, partition);
        if (!this.#atEnd.has(key) || now - this.#silentSince.get(key)! < this.#idleMs) continue;
        this.#watermarks.setIdle(role, partition);
        areAny = true;
      }
    }
    return areAny;
  }
}

function keyOf(role: TopicRole, partition: number): string {
  return `${role}/${partition}`;
}
