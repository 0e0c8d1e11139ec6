import type { LogEnd, TopicRole } from '../ports.js';

/** Position of a partition when the log last answered. */
export interface Heard {
  readonly role: TopicRole;
  readonly partition: number;
  /** When it last gave records, or had none to give: wall clock, ms. */
  readonly at: number;
  /** Records that were not read then. */
  readonly lag: number;
  /** The transaction that holds all that is left back; undefined while none does. */
  readonly transaction?: OpenTransaction | undefined;
}

/** A transaction that was begun in a partition, and neither committed nor aborted. */
interface OpenTransaction {
  /** Offset of its first record. */
  readonly first: number;
  /** When it was first seen to hold records back, wall clock, ms. */
  readonly since: number;
}

/** Longer than an answer takes where nothing is wrong, ms. */
const SILENT_MS = 15_000;

/** Time of the last answer of the log, since a connection that is cut silently stays open. */
export class LogContact {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #heard = new Map<string, Heard>();
  /** Why nothing is read, where that is known; undefined while there is none. */
  trouble: string | undefined;
  #isConnected = false;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now wall clock, ms since the epoch
   * @param elapsed any clock that runs evenly, ms
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

  /** Partitions are read here from now on, and no others. */
  assigned(partitions: readonly number[]): void {
    for (const [key, { partition }] of this.#heard) {
      if (!partitions.includes(partition)) {
        this.#heard.delete(key);
      }
    }
  }

  /** Records have come, and this many are still to come. */
  records(role: TopicRole, partition: number, lag: number): void {
    this.#answeredAt = this.#elapsed();
    this.#heard.set(`${role}/${partition}`, {
      role,
      partition,
      lag,
      at: this.#now(),
    });
  }

  /** The log has said where its partitions end. */
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

  /** Whether the log can be reached: it is connected to, and it answers. */
  get isThere(): boolean {
    if (!this.#isConnected) return false;
    return this.#heard.size === 0 || this.#elapsed() - this.#answeredAt <= SILENT_MS;
  }

  get heard(): readonly Heard[] {
    return [...this.#heard.values()];
  }
}
