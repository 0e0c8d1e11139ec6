import type { LogEnd, TopicRole } from '../ports.js';

/** Position of a partition when the log last answered. */
export interface Heard {
  readonly role: TopicRole;
  readonly partition: number;
  /** Time at which it last returned records or an empty answer: wall clock, ms. */
  readonly at: number;
  /** Number of unread records at that time. */
  readonly lag: number;
  /** The transaction that holds back all remaining records; undefined if there is none. */
  readonly transaction?: OpenTransaction | undefined;
}

/** A transaction in a partition that is neither committed nor aborted. */
interface OpenTransaction {
  /** Offset of its first record. */
  readonly first: number;
  /** When it was first seen to hold records back, wall clock, ms. */
  readonly since: number;
}

/** Time without an answer after which the log counts as unreachable, ms. */
const SILENT_MS = 15_000;

/** Tracks the last answer of the log, since a broken connection may stay open silently. */
export class LogContact {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #heard = new Map<string, Heard>();
  /** Why nothing is read, if known. */
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

  state(state: 'connected' | 'disconnected', why?: string): void {
    this.#isConnected = state === 'connected';
    this.trouble = why;
    if (this.#isConnected) {
      this.#answeredAt = this.#elapsed();
    }
  }

  /** Set the partitions that are read here. */
  assigned(partitions: readonly number[]): void {
    for (const [key, { partition }] of this.#heard) {
      if (!partitions.includes(partition)) {
        this.#heard.delete(key);
      }
    }
  }

  /** Record that records arrived, with the remaining lag. */
  records(role: TopicRole, partition: number, lag: number): void {
    this.#answeredAt = this.#elapsed();
    this.#heard.set(`${role}/${partition}`, {
      role,
      partition,
      lag,
      at: this.#now(),
    });
  }

  /** Record an answer on the partitions' ends. */
  ends(ends: readonly LogEnd[]): void {
    if (ends.length > 0) {
      this.#answeredAt = this.#elapsed();
    }
    for (const { role, partition, next, end, stable = end } of ends) {
      const lag = Math.max(0, end - next);
      const before = this.#heard.get(`${role}/${partition}`);
      const isHeldBack = stable < end && next >= stable;
      // Where there is something to be read, only reading it shows that it can be.
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

  /** Whether the log is connected and answers. */
  get isThere(): boolean {
    if (!this.#isConnected) return false;
    return this.#heard.size === 0 || this.#elapsed() - this.#answeredAt <= SILENT_MS;
  }

  get heard(): readonly Heard[] {
    return [...this.#heard.values()];
  }
}
