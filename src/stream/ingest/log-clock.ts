import type { RecordBatch, TopicRole } from '../ports.js';

/** Records that each topic-partition has a say with, the newest ones. */
const VOTES = 15;
/** So few of all partitions may be one producer's. */
const FEW = 5;
const REMEMBERED_MS = 600_000;
/** A clock is not watched more closely than this. */
const LEAST_LIMIT_MS = 10_000;

interface Vote {
  /** The record's time less the even clock when it came: whatever the wall clock does, it stays. */
  readonly offset: number;
  readonly at: number;
  /** It came after all that was there before it: what was written long ago did not. */
  readonly isFresh: boolean;
}

export interface LogClockOptions {
  /** How far ahead of the clock an event may lie, ms. */
  readonly maxFutureMs: number;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Any clock that runs evenly, ms. */
  readonly elapsed: () => number;
}

/**
 * Compares the wall clock of this process with the times that the log gives its records. One
 * producer whose clock is ahead is outvoted by the others; where most of the newest records of all
 * partitions lie ahead, it is this clock that is behind. Where most of those that have just been
 * written lie far back, it is ahead (or what they hold came too late to count).
 *
 * An old record says nothing for the clock and nothing against it: it may be of a backlog.
 */
export class LogClock {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #votes = new Map<string, Vote[]>();
  readonly #heardTo = new Map<string, number>();

  constructor({ maxFutureMs, now, elapsed }: LogClockOptions) {
    this.#limitMs = Math.max(LEAST_LIMIT_MS, maxFutureMs);
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Notes when the records of a batch were written; what comes once more is not counted twice. */
  hear({ role, partition, offsets, recordTs }: RecordBatch, isFresh: boolean): void {
    const key = `${role}/${partition}`;
    const at = this.#elapsed();
    const heardTo = this.#heardTo.get(key) ?? -1;
    const votes = this.#votes.get(key) ?? [];
    for (let r = Math.max(0, recordTs.length - VOTES); r < recordTs.length; r++) {
      if (offsets[r] <= heardTo) continue;
      this.#heardTo.set(key, offsets[r]);
      if (recordTs[r] > 0) votes.push({ offset: recordTs[r] - at, at, isFresh });
    }
    this.#votes.set(key, votes.slice(-VOTES));
  }

  /** The log was recreated: its offsets start over. */
  forget(role: TopicRole, partition: number): void {
    this.#heardTo.delete(`${role}/${partition}`);
  }

  /** How far the log is ahead of this clock (below 0: behind it), ms; 0 where they agree. */
  get skewMs(): number {
    return this.skewOf(this.#now(), this.#elapsed());
  }

  /** The same of one reading of this clock, by all that was heard until now. */
  skewOf(now: number, at: number): number {
    const leads = this.#leads(now - at);
    if (leads.length === 0) return 0;
    // More than half have to say so: half of them may be one producer's.
    const [low, high] = [leads[(leads.length - 1) >> 1], leads[leads.length >> 1]];
    if (low > this.#limitMs / 2) return low;
    return high < -this.#limitMs ? high : 0;
  }

  /** Whether a batch holds what would be refused for nothing but this clock, as it is now. */
  wrongs({ recordTs }: RecordBatch, now: number): boolean {
    const latest = now + this.#limitMs;
    return recordTs.some((ts) => ts > latest) && this.skewOf(now, this.#elapsed()) > 0;
  }

  /** Whether so few have a say that they may be those of one producer. */
  get isInDoubt(): boolean {
    return this.#leads(this.#now() - this.#elapsed()).length < FEW;
  }

  /** Of the records that have a say, in ascending order. @param wall the clock less the even one */
  #leads(wall: number): number[] {
    const at = this.#elapsed();
    const leads: number[] = [];
    for (const votes of this.#votes.values()) {
      for (const { offset, at: came, isFresh } of votes) {
        const lead = offset - wall;
        if (at - came <= REMEMBERED_MS && (isFresh || lead >= -this.#limitMs)) leads.push(lead);
      }
    }
    return leads.sort((a, b) => a - b);
  }
}
