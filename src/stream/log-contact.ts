import type { LogEnd, TopicRole } from './ports.js';

/** Where a partition stood when the log last reported it. */
export interface Heard {
  readonly role: TopicRole;
  readonly partition: number;
  /** When it last gave records, or had none to give: wall clock, ms. */
  readonly at: number;
  /** Records that were not read then. */
  readonly lag: number;
}

/** Longer than an answer takes where nothing is wrong, ms. */
const SILENT_MS = 15_000;

/** When the log was last heard, since a connection that is cut without a word stays open. */
export class LogContact {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #heard = new Map<string, Heard>();
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

  state(state: 'connected' | 'disconnected'): void {
    this.#isConnected = state === 'connected';
    if (this.#isConnected) this.#answeredAt = this.#elapsed();
  }

  /** Partitions are read here from now on, and no others. */
  assigned(partitions: readonly number[]): void {
    for (const [key, { partition }] of this.#heard) {
      if (!partitions.includes(partition)) this.#heard.delete(key);
    }
  }

  /** Records have come, and this many are still to come. */
  records(role: TopicRole, partition: number, lag: number): void {
    this.#answeredAt = this.#elapsed();
    this.#note(role, partition, lag, this.#now());
  }

  /** The log has said where its partitions end. */
  ends(ends: readonly LogEnd[]): void {
    if (ends.length > 0) this.#answeredAt = this.#elapsed();
    for (const { role, partition, next, end } of ends) {
      const lag = Math.max(0, end - next);
      // Where there is something to be read, only reading it shows that it can be.
      const before = this.#heard.get(`${role}/${partition}`)?.at;
      this.#note(role, partition, lag, lag === 0 ? this.#now() : (before ?? this.#now()));
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

  #note(role: TopicRole, partition: number, lag: number, at: number): void {
    this.#heard.set(`${role}/${partition}`, { role, partition, lag, at });
  }
}
