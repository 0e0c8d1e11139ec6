import type { LogEnd, TopicRole } from '../ports.js';

/** What the log last answered about one topic-partition. */
export interface Heard {
  readonly role: TopicRole;
  readonly partition: number;
  /** When the log last returned records, or the answer that there are none: wall clock, ms. */
  readonly at: number;
  /** Number of unread records when the log last answered. */
  readonly lag: number;
  /**
   * The open transaction that holds back its own records and all later ones; undefined if there is
   * none.
   */
  readonly transaction?: OpenTransaction | undefined;
}

/** A producer's transaction that is neither committed nor aborted. */
interface OpenTransaction {
  /** Offset of the first record of the transaction. */
  readonly first: number;
  /** When the transaction was first seen to hold back records: wall clock, ms. */
  readonly since: number;
}

/** Time without an answer after which the log counts as unreachable, ms. */
const SILENT_MS = 15_000;

/**
 * Tracks whether the log still answers. The state of the connection is not enough, since a broken
 * connection may stay open silently.
 */
export class LogContact {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #heard = new Map<string, Heard>();
  /** Why no records are read, if known. */
  trouble: string | undefined;
  #isConnected = false;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now wall clock, ms since the epoch
   * @param elapsed a monotonic clock, ms
   */
  constructor(now: () => number, elapsed: () => number) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Note a change of the connection, with its cause. */
  state(state: 'connected' | 'disconnected', why?: string): void {
    this.#isConnected = state === 'connected';
    this.trouble = why;
    if (this.#isConnected) {
      this.#answeredAt = this.#elapsed();
    }
  }

  /** Drop what is known about partitions that this process no longer reads. */
  assigned(partitions: readonly number[]): void {
    for (const [key, { partition }] of this.#heard) {
      if (!partitions.includes(partition)) {
        this.#heard.delete(key);
      }
    }
  }

  /** Note that records arrived, and how many remain unread (`lag`). */
  records(role: TopicRole, partition: number, lag: number): void {
    this.#answeredAt = this.#elapsed();
    this.#heard.set(`${role}/${partition}`, {
      role,
      partition,
      lag,
      at: this.#now(),
    });
  }

  /** Note the end offsets that the log returned. */
  ends(ends: readonly LogEnd[]): void {
    if (ends.length > 0) {
      this.#answeredAt = this.#elapsed();
    }
    for (const { role, partition, next, end, stable = end } of ends) {
      const lag = Math.max(0, end - next);
      const before = this.#heard.get(`${role}/${partition}`);
      const isHeldBack = stable < end && next >= stable;
      // If there are unread records, only reading them proves that the topic can be read.
      const at = lag === 0 || isHeldBack ? this.#now() : (before?.at ?? this.#now());
      const known = before?.transaction;
      const since = known?.first === stable ? known.since : this.#now();
      const transaction = isHeldBack
        ? {
            first: stable,
            since,
          }
        : undefined;
      this.#heard.set(`${role}/${partition}`, {
        role,
        partition,
        at,
        lag,
        transaction,
      });
    }
  }

  /** Whether the log is connected and has answered within the last 15 s. */
  get isThere(): boolean {
    if (!this.#isConnected) return false;
    return this.#heard.size === 0 || this.#elapsed() - this.#answeredAt <= SILENT_MS;
  }

  /** The last answer about each topic-partition. */
  get heard(): readonly Heard[] {
    return [...this.#heard.values()];
  }
}
