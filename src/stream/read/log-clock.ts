import type { RecordBatch, TopicRole } from '../ports.js';

/**
 * Number of records of each topic-partition whose times are compared with the clock: its newest
 * ones. Each of them is a vote.
 */
const VOTES = 15;
/**
 * Least number of just-written records that are used alone. Fewer may come from a single producer,
 * so other records are then used too.
 */
const FEW = 5;
/**
 * Age up to which a just-written record counts as young, ms. If there are at least `FEW` young
 * records, older ones are ignored: the monotonic clock stops while a machine sleeps, so the offsets
 * of older records may be wrong.
 */
const YOUNG_MS = 600_000;
/**
 * Lower bound of the limit above which a clock difference is reported, ms. The limit is
 * `maxFutureMs` if that is larger.
 */
const LEAST_LIMIT_MS = 10_000;

/** The clock difference that one record suggests. */
interface Vote {
  /** Record time minus monotonic clock at arrival, ms; does not depend on the wall clock. */
  readonly offset: number;
  /** Monotonic time of arrival, ms. */
  readonly at: number;
  /**
   * Whether the record was written just before it arrived: the topic-partition was read to its end
   * shortly before.
   */
  readonly isFresh: boolean;
}

/** Times of the newest records of one topic-partition. */
interface Heard {
  votes: Vote[];
  /** Offset of the newest record seen. */
  to: number;
  /** Whether the log has records after the newest one seen. */
  isUnread: boolean;
}

export interface LogClockOptions {
  /** How far ahead of the clock an event's time may be, ms. */
  readonly maxFutureMs: number;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
}

/**
 * Compares the wall clock of this process with the record times of the log, to find out whether the
 * clock is wrong. Each of the newest records votes with the difference between its time and the
 * clock. If the median vote is ahead, this clock is slow; a single producer with a fast clock is
 * outvoted. If most records that were just written are far behind, this clock is fast.
 *
 * An old record only shows that its time has passed. Old records vote only if too few were just
 * written. A topic-partition with unread records then counts only for its own batches, unless its
 * records are ahead. Votes are stored as offsets from a monotonic clock, so they stay valid while
 * no records arrive.
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

  /** Add the record times of a batch as votes; records delivered before are not counted again. */
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

  /**
   * Forget which offsets of a topic-partition were seen. To be called when its log was truncated or
   * recreated, since the offsets may then repeat.
   */
  forget(role: TopicRole, partition: number): void {
    const heard = this.#heard.get(keyOf({ role, partition }));
    if (heard !== undefined) {
      heard.to = -1;
    }
  }

  /**
   * How far the log's time is ahead of this process's wall clock, ms; negative if it is behind. 0
   * if it is ahead by at most half the limit, or behind by at most the limit.
   */
  get skewMs(): number {
    return this.skewOf(this.#now(), this.#elapsed());
  }

  /**
   * How far the log's time is ahead of one reading of the wall clock, by all records so far, ms.
   *
   * @param now reading of the wall clock, ms
   * @param at monotonic time of the reading, ms
   * @param own key of a topic-partition whose old records count even while it has unread records
   */
  skewOf(now: number, at: number, own?: string): number {
    const wall = now - at;
    const fresh = this.#freshLeads(wall);
    const leads = fresh.length >= FEW ? fresh : this.#allLeads(wall, own);
    if (leads.length === 0) return 0;
    // More than half must agree, since one producer may write half of the records.
    const low = lowMedian(leads);
    const high = leads[leads.length >> 1];
    if (low > this.#limitMs / 2) return low;
    return high < -this.#limitMs ? high : 0;
  }

  /**
   * Whether a batch has events that would be rejected as too far in the future only because this
   * clock is slow.
   */
  wrongs(batch: RecordBatch, now: number): boolean {
    const latest = now + this.#limitMs;
    if (!batch.recordTs.some((ts) => ts > latest)) return false;
    return this.skewOf(now, this.#elapsed(), keyOf(batch)) > 0;
  }

  /**
   * Correct a reading `now` of this clock if the clock is fast, so that it does not carry the
   * watermark ahead. If the median time of just-written records is earlier than the reading, the
   * result is that median.
   */
  noLater(now: number, at: number): number {
    const leads = this.#freshLeads(now - at);
    return leads.length === 0 ? now : now + Math.min(0, lowMedian(leads));
  }

  /**
   * Correct a reading `now` of this clock if the clock is slow, so that valid events are not
   * rejected. The reading is raised towards the time of the log, by at most the limit. The time of
   * the log is the median of just-written records. If these are few, it is the median of all
   * records, and the reading is raised only if it is far behind.
   */
  noEarlier(batch: RecordBatch, now: number): number {
    if (!batch.recordTs.some((ts) => ts > now)) return now;
    const at = this.#elapsed();
    const fresh = this.#freshLeads(now - at);
    const lead = fresh.length >= FEW ? lowMedian(fresh) : this.skewOf(now, at, keyOf(batch));
    return now + Math.min(this.#limitMs, Math.max(0, lead));
  }

  /**
   * How far just-written records are ahead of the wall clock, ms, ascending.
   *
   * @param wall wall clock minus monotonic clock, ms
   */
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

  /**
   * How far all usable records are ahead of the wall clock, ms, ascending.
   *
   * @param wall wall clock minus monotonic clock, ms
   * @param own key of the topic-partition that counts even while it has unread records
   */
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
