import type { RecordBatch, TopicRole } from '../ports.js';

/** Number of newest records of each topic-partition that vote. */
const VOTES = 15;
/** So few of all partitions may be one producer's. */
const FEW = 5;
/** The even clock stands still while a machine sleeps: newer records are preferred to older ones. */
const YOUNG_MS = 600_000;
/** A clock is not watched more closely than this. */
const LEAST_LIMIT_MS = 10_000;

interface Vote {
  /** The record's time minus the even clock when it came: whatever the wall clock does, it stays. */
  readonly offset: number;
  readonly at: number;
  /** It came just after the log was seen to hold nothing more, so it was written just then. */
  readonly isFresh: boolean;
}

interface Heard {
  votes: Vote[];
  /** Offset of the newest record that was heard. */
  to: number;
  /** Whether the log held more than what came. */
  isUnread: boolean;
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
 * written lie far back, it is ahead.
 *
 * What was written long ago says only that it is no earlier now: it is asked where too few have
 * just been written, and then a partition that is still being read has a say for itself alone,
 * unless it lies ahead. Votes are offsets against an even clock, so a silent log goes on speaking.
 */
export class LogClock {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #heard = new Map<string, Heard>();

  constructor({ maxFutureMs, now, elapsed }: LogClockOptions) {
    this.#limitMs = Math.max(LEAST_LIMIT_MS, maxFutureMs);
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Notes when the records of a batch were written; what comes once more is not counted twice. */
  hear(batch: RecordBatch, isFresh: boolean): void {
    const { offsets, recordTs, highWatermark } = batch;
    const key = keyOf(batch);
    const at = this.#elapsed();
    const heard = this.#heard.get(key) ?? {
      votes: [],
      to: -1,
      isUnread: false,
    };
    this.#heard.set(key, heard);
    for (let r = Math.max(0, recordTs.length - VOTES); r < recordTs.length; r++) {
      if (offsets[r] <= heard.to) continue;
      heard.to = offsets[r];
      if (recordTs[r] > 0) {
        heard.votes.push({
          offset: recordTs[r] - at,
          at,
          isFresh,
        });
      }
    }
    heard.votes = heard.votes.slice(-VOTES);
    heard.isUnread = heard.to + 1 < highWatermark;
  }

  /** The log was recreated: its offsets start over. */
  forget(role: TopicRole, partition: number): void {
    const heard = this.#heard.get(keyOf({ role, partition }));
    if (heard !== undefined) {
      heard.to = -1;
    }
  }

  /** How far the log is ahead of this clock (below 0: behind it), ms; 0 where they agree. */
  get skewMs(): number {
    return this.skewOf(this.#now(), this.#elapsed());
  }

  /**
   * The same of one reading of this clock, by all that was heard until now.
   *
   * @param own a partition that is asked about: it has a say of its own
   */
  skewOf(now: number, at: number, own?: string): number {
    const wall = now - at;
    const fresh = this.#freshLeads(wall);
    const leads = fresh.length >= FEW ? fresh : this.#allLeads(wall, own);
    if (leads.length === 0) return 0;
    // More than half have to say so: half of them may be one producer's.
    const low = lowMedian(leads);
    const high = leads[leads.length >> 1];
    if (low > this.#limitMs / 2) return low;
    return high < -this.#limitMs ? high : 0;
  }

  /** Whether a batch holds what would be refused for nothing but this clock, as it is now. */
  wrongs(batch: RecordBatch, now: number): boolean {
    const latest = now + this.#limitMs;
    if (!batch.recordTs.some((ts) => ts > latest)) return false;
    return this.skewOf(now, this.#elapsed(), keyOf(batch)) > 0;
  }

  /** A reading of this clock, no later than what was just written says. */
  noLater(now: number, at: number): number {
    const leads = this.#freshLeads(now - at);
    return leads.length === 0 ? now : now + Math.min(0, lowMedian(leads));
  }

  /**
   * The same, no earlier than what was just written says, or where that is little, than all that was
   * heard if it is behind by much: events of a batch may be refused for it.
   */
  noEarlier(batch: RecordBatch, now: number): number {
    if (!batch.recordTs.some((ts) => ts > now)) return now;
    const at = this.#elapsed();
    const fresh = this.#freshLeads(now - at);
    const lead = fresh.length >= FEW ? lowMedian(fresh) : this.skewOf(now, at, keyOf(batch));
    return now + Math.min(this.#limitMs, Math.max(0, lead));
  }

  /** Of those that have just been written when they came, in ascending order. */
  #freshLeads(wall: number): Float64Array {
    const since = this.#elapsed() - YOUNG_MS;
    const all: number[] = [];
    const young: number[] = [];
    for (const { votes } of this.#heard.values()) {
      for (const { offset, at, isFresh } of votes) {
        if (!isFresh) continue;
        all.push(offset - wall);
        if (at >= since) {
          young.push(offset - wall);
        }
      }
    }
    return Float64Array.from(young.length >= FEW ? young : all).sort();
  }

  /** Of all that have a say, in ascending order. @param wall the clock minus the even one */
  #allLeads(wall: number, own: string | undefined): Float64Array {
    const all: number[] = [];
    for (const [key, { votes, isUnread }] of this.#heard) {
      const leads: number[] = [];
      for (const { offset, isFresh } of votes) {
        const lead = offset - wall;
        if (isFresh || lead >= -this.#limitMs) {
          leads.push(lead);
        }
      }
      const sorted = Float64Array.from(leads).sort();
      const hasSay = !isUnread || key === own || lowMedian(sorted) > this.#limitMs / 2;
      if (hasSay) {
        all.push(...sorted);
      }
    }
    return Float64Array.from(all).sort();
  }
}

/** Of numbers in ascending order; NaN of none. */
function lowMedian(sorted: Float64Array): number {
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}

function keyOf({ role, partition }: Pick<RecordBatch, 'role' | 'partition'>): string {
  return `${role}/${partition}`;
}
