import type { RecordBatch, TopicRole } from '../ports.js';

/** Number of newest records of each topic-partition that vote. */
const VOTES = 15;
/** Number of partitions that may belong to a single producer. */
const FEW = 5;
/** Age up to which records are preferred, since the monotonic clock stops while a machine sleeps, ms. */
const YOUNG_MS = 600_000;
/** Smallest clock difference that is detected, ms. */
const LEAST_LIMIT_MS = 10_000;

interface Vote {
  /** Record time minus monotonic clock at arrival, independent of the wall clock. */
  readonly offset: number;
  readonly at: number;
  /** Whether the record was just written, since it arrived right after the log was empty. */
  readonly isFresh: boolean;
}

interface Heard {
  votes: Vote[];
  /** Offset of the newest record seen. */
  to: number;
  /** Whether the log had more records than those delivered. */
  isUnread: boolean;
}

export interface LogClockOptions {
  /** How far ahead of the clock an event may be, ms. */
  readonly maxFutureMs: number;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
}

/**
 * Compares the wall clock of this process with the log's record times. A producer with a fast clock
 * is outvoted by the others; if most of the newest records of all partitions are ahead, this clock
 * is slow. If most records that were just written are far behind, this clock is fast.
 *
 * An old record only shows that its time has passed. Old records are used if too few were just
 * written; a partition that is still being read then votes only for itself, unless it is ahead.
 * Votes are offsets against a monotonic clock, so they stay valid while the log is silent.
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

  /** Record the times of a batch; repeated records are not counted twice. */
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

  /** Forget a recreated log, whose offsets start over. */
  forget(role: TopicRole, partition: number): void {
    const heard = this.#heard.get(keyOf({ role, partition }));
    if (heard !== undefined) {
      heard.to = -1;
    }
  }

  /** How far the log is ahead of this clock, ms; negative if behind, 0 if they agree. */
  get skewMs(): number {
    return this.skewOf(this.#now(), this.#elapsed());
  }

  /**
   * The difference for one reading of this clock, from all records so far.
   *
   * @param own the partition of interest, which has an additional vote
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

  /** Whether a batch has events that would be rejected only because of this clock's error. */
  wrongs(batch: RecordBatch, now: number): boolean {
    const latest = now + this.#limitMs;
    if (!batch.recordTs.some((ts) => ts > latest)) return false;
    return this.skewOf(now, this.#elapsed(), keyOf(batch)) > 0;
  }

  /** A reading of this clock, reduced to the times of records that were just written. */
  noLater(now: number, at: number): number {
    const leads = this.#freshLeads(now - at);
    return leads.length === 0 ? now : now + Math.min(0, lowMedian(leads));
  }

  /**
   * A reading of this clock, raised to the times of records that were just written, or to those of
   * all records if few were and the clock is far behind, so that events are not rejected wrongly.
   */
  noEarlier(batch: RecordBatch, now: number): number {
    if (!batch.recordTs.some((ts) => ts > now)) return now;
    const at = this.#elapsed();
    const fresh = this.#freshLeads(now - at);
    const lead = fresh.length >= FEW ? lowMedian(fresh) : this.skewOf(now, at, keyOf(batch));
    return now + Math.min(this.#limitMs, Math.max(0, lead));
  }

  /** Leads of records that were just written at arrival, ascending. */
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

  /** Leads of all votes, ascending. @param wall wall clock minus monotonic clock */
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

/** Lower median of ascending numbers; NaN if empty. */
function lowMedian(sorted: Float64Array): number {
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}

function keyOf({ role, partition }: Pick<RecordBatch, 'role' | 'partition'>): string {
  return `${role}/${partition}`;
}
