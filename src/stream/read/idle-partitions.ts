import type { Watermarks } from '../panes/watermarks.js';
import type { LogEnd, TopicRole } from '../ports.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** Time after which a record that follows an empty log no longer counts as just written, ms. */
const JUST_MS = 15_000;

export interface IdleOptions {
  /** Duration of silence after which a partition may be idle, ms. */
  readonly idleMs: number;
  /** A monotonic clock, ms, for durations. */
  readonly elapsed: () => number;
  /** Whether an intake writes the records. It then reports its progress, and silence means nothing. */
  readonly areBrought?: boolean | undefined;
}

/** Time at which the log was asked for its ends. */
export interface Asked {
  /** Wall clock, ms; undefined if that clock is wrong. */
  readonly at: number | undefined;
  /** The same time by the monotonic clock. */
  readonly evenly: number;
  /** Next offset at that time; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined;
}

/**
 * Finds topic-partitions that are silent and read to their end. They do not hold the watermark
 * back, up to the time at which the log was asked. Silence alone is not enough, nor is an old
 * answer, nor an end before the next offset, which shows that the log has lost records.
 */
export class IdlePartitions {
  readonly #idleMs: number;
  readonly #elapsed: () => number;
  readonly #partitions: readonly number[];
  readonly #watermarks: Watermarks;
  readonly #silentSince = new Map<string, number>();
  /** Time at which each was last read to its end, monotonic. */
  readonly #reachedEnd = new Map<string, number>();
  /** Time at which each was last asked for its end and was read completely, monotonic. */
  readonly #askedAtEnd = new Map<string, number>();
  /** Partitions whose log ended before the next offset, until new records are read. */
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

  /** Whether every partition was read to its end at least once since the log was reachable. */
  get haveCaughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(keyOf(role, p))))
    );
  }

  /** Whether the partition was at its end a moment ago. */
  wasJustAtEnd(role: TopicRole, partition: number): boolean {
    const at = this.#reachedEnd.get(keyOf(role, partition)) ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() - at <= JUST_MS;
  }

  /**
   * Whether the logs of a partition were asked for their ends after that time (monotonic) and were
   * read completely.
   */
  wasAtEnd(partition: number, since: number): boolean {
    const at = (role: TopicRole) => this.#askedAtEnd.get(keyOf(role, partition));
    return ROLES.every((role) => (at(role) ?? Number.NEGATIVE_INFINITY) > since);
  }

  /** Start counting silence again, since the log may have more than was known. */
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

  /** Record that events have arrived. */
  hear(role: TopicRole, partition: number): void {
    this.#silentSince.set(keyOf(role, partition), this.#elapsed());
  }

  /** Record that the partition continues after a change of its log. */
  goOn(role: TopicRole, partition: number): void {
    this.#shortened.delete(keyOf(role, partition));
  }

  /** Record that it is read to the last known end. */
  reachEnd(role: TopicRole, partition: number): void {
    this.#reachedEnd.set(keyOf(role, partition), this.#elapsed());
  }

  /**
   * Advance time without the partitions that are silent and at their current end.
   *
   * @param ends answer of the log
   * @returns whether there are any
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
