import type { Watermarks } from '../panes/watermarks.js';
import type { LogEnd, TopicRole } from '../ports.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/**
 * Time after a topic-partition was read to its end, ms. A record that arrives within this time
 * counts as just written.
 */
const JUST_MS = 15_000;

/** Options of finding idle partitions. */
export interface IdleOptions {
  /** How long a topic-partition must be silent before it can be idle, ms. */
  readonly idleMs: number;
  /** A monotonic clock, ms, for durations. */
  readonly elapsed: () => number;
  /**
   * Whether an intake writes the topics. The intake reports the progress of its sources, so silence
   * does not make a topic-partition idle.
   */
  readonly areBrought?: boolean | undefined;
}

/** When this process requested the end offsets of the log, and how far it had read by then. */
export interface Asked {
  /** Wall-clock time of the request, ms; undefined if the wall clock was found to be wrong. */
  readonly at: number | undefined;
  /** Monotonic time of the request, ms. */
  readonly evenly: number;
  /**
   * Next offset of the topic-partition at the time of the request; undefined before its first
   * record.
   */
  nextOffset(role: TopicRole, partition: number): number | undefined;
}

/**
 * Finds idle topic-partitions: those that are silent and read to their end. An idle one does not
 * hold the watermark back: until new events arrive, its progress is the time at which the end
 * offsets were requested. Silence alone is not enough. A topic-partition is not idle if the known
 * end offset is outdated, or if the log ends before the next offset to read, which shows that the
 * log has lost records.
 */
export class IdlePartitions {
  readonly #idleMs: number;
  readonly #elapsed: () => number;
  readonly #partitions: readonly number[];
  readonly #watermarks: Watermarks;
  readonly #silentSince = new Map<string, number>();
  /** Monotonic time at which each topic-partition was last read to its end, ms. */
  readonly #reachedEnd = new Map<string, number>();
  /** Monotonic time of the last request that found each topic-partition completely read, ms. */
  readonly #askedAtEnd = new Map<string, number>();
  /**
   * Topic-partitions whose log ended before the next offset to read; removed when records arrive
   * again.
   */
  readonly #shortened = new Set<string>();

  constructor(partitions: readonly number[], watermarks: Watermarks, options: IdleOptions) {
    this.#partitions = partitions;
    this.#watermarks = watermarks;
    this.#idleMs = options.idleMs;
    this.#elapsed = options.elapsed;
    for (const partition of partitions) {
      for (const role of ROLES) {
        if (options.areBrought === true) {
          watermarks.expectSources(role, partition);
        } else {
          watermarks.expect(role, partition);
        }
      }
    }
    this.reset();
  }

  /**
   * Whether every topic-partition was read to its end at least once since the log was last
   * unreachable.
   */
  get haveCaughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(keyOf(role, p))))
    );
  }

  /** Whether the topic-partition was read to its end within the last 15 s. */
  wasJustAtEnd(role: TopicRole, partition: number): boolean {
    const at = this.#reachedEnd.get(keyOf(role, partition)) ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() - at <= JUST_MS;
  }

  /**
   * Whether a partition was completely read in both topics, according to a request for end offsets
   * that was made after `since` (monotonic, ms).
   */
  wasAtEnd(partition: number, since: number): boolean {
    const at = (role: TopicRole) => this.#askedAtEnd.get(keyOf(role, partition));
    return ROLES.every((role) => (at(role) ?? Number.NEGATIVE_INFINITY) > since);
  }

  /** Start measuring silence again, because the log may hold records that are not known yet. */
  reset(): void {
    const now = this.#elapsed();
    this.#reachedEnd.clear();
    this.#askedAtEnd.clear();
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        this.#silentSince.set(keyOf(role, partition), now);
      }
    }
  }

  /** Note that events of a topic-partition have arrived. */
  hear(role: TopicRole, partition: number): void {
    this.#silentSince.set(keyOf(role, partition), this.#elapsed());
  }

  /**
   * Note that records of a topic-partition arrive, so its log no longer ends before the next
   * offset.
   */
  goOn(role: TopicRole, partition: number): void {
    this.#shortened.delete(keyOf(role, partition));
  }

  /** Note that a topic-partition was read to its last known end. */
  reachEnd(role: TopicRole, partition: number): void {
    this.#reachedEnd.set(keyOf(role, partition), this.#elapsed());
  }

  /**
   * Mark the topic-partitions that are silent and read to their end as idle, so that the watermark
   * advances without them.
   *
   * @param ends end offsets that the log returned
   * @returns whether any are idle
   */
  notice(ends: readonly LogEnd[], asked: Asked): boolean {
    const since = this.#elapsed() - this.#idleMs;
    let areAny = false;
    for (const { role, partition, next, end } of ends) {
      const key = keyOf(role, partition);
      const silentSince = this.#silentSince.get(key);
      if (end < (asked.nextOffset(role, partition) ?? 0)) {
        this.#shortened.add(key);
      }
      if (silentSince !== undefined && next >= end) {
        this.#askedAtEnd.set(key, asked.evenly);
      }
      if (silentSince === undefined || next < end || this.#shortened.has(key)) continue;
      if (this.#reachedEnd.has(key)) {
        this.#reachedEnd.set(key, asked.evenly);
      }
      if (silentSince > since || asked.at === undefined) continue;
      this.#watermarks.setIdle(role, partition, asked.at);
      areAny = true;
    }
    return areAny;
  }
}

function keyOf(role: TopicRole, partition: number): string {
  return `${role}/${partition}`;
}
