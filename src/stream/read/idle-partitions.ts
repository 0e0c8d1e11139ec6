import type { Watermarks } from '../panes/watermarks.js';
import type { LogEnd, TopicRole } from '../ports.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** A record that arrives this soon after its log was empty was just written, ms. */
const JUST_MS = 15_000;

export interface IdleOptions {
  /** How long a partition has to be silent, ms. */
  readonly idleMs: number;
  /** Any clock that runs evenly, ms: silence is a stretch of time, whatever the wall clock says. */
  readonly elapsed: () => number;
  /** Whether others bring the records: how far these are is theirs to say, and silence says nothing. */
  readonly areBrought?: boolean | undefined;
}

/** The moment at which the log was asked where it ends. */
export interface Asked {
  /** Wall clock, ms; undefined where that clock is off. */
  readonly at: number | undefined;
  /** The same by the even clock. */
  readonly evenly: number;
  /** Offset that was next then; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined;
}

/**
 * Finds topic-partitions that are silent and read to their end. Such a partition does not hold time
 * back, up to the moment at which the log was asked. Silence alone is not evidence, nor is an old
 * answer, nor an end before what was read: such a log has lost records, and all it holds is new.
 */
export class IdlePartitions {
  readonly #idleMs: number;
  readonly #elapsed: () => number;
  readonly #partitions: readonly number[];
  readonly #watermarks: Watermarks;
  readonly #silentSince = new Map<string, number>();
  /** When each was last read to its end, by the even clock. */
  readonly #reachedEnd = new Map<string, number>();
  /** When each was last asked for its end and held nothing more, by the even clock. */
  readonly #askedAtEnd = new Map<string, number>();
  /** Those that ended before what was read, until something new is read of them. */
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

  /** Whether every partition was read to its end at least once since the log could be reached. */
  get haveCaughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(keyOf(role, p))))
    );
  }

  /** Whether that one held nothing more a moment ago. */
  wasJustAtEnd(role: TopicRole, partition: number): boolean {
    const at = this.#reachedEnd.get(keyOf(role, partition)) ?? Number.NEGATIVE_INFINITY;
    return this.#elapsed() - at <= JUST_MS;
  }

  /**
   * Whether the logs of a partition were asked for their ends after that moment, by the even clock, and
   * held nothing more: all that was in them by then is read.
   */
  wasAtEnd(partition: number, since: number): boolean {
    const at = (role: TopicRole) => this.#askedAtEnd.get(keyOf(role, partition));
    return ROLES.every((role) => (at(role) ?? Number.NEGATIVE_INFINITY) > since);
  }

  /** The log may hold more than it was known to: silence is counted from now. */
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

  /** Events have come. */
  hear(role: TopicRole, partition: number): void {
    this.#silentSince.set(keyOf(role, partition), this.#elapsed());
  }

  /** It goes on from where the log is known to be what was read. */
  goOn(role: TopicRole, partition: number): void {
    this.#shortened.delete(keyOf(role, partition));
  }

  /** It is read to the end that was last known. */
  reachEnd(role: TopicRole, partition: number): void {
    this.#reachedEnd.set(keyOf(role, partition), this.#elapsed());
  }

  /**
   * Lets time go on without those that are silent and read to the end that the log has now.
   *
   * @param ends what the log answered
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
