import { type RecentEvents, rejectedOf, type TopicFacts } from '../../rows/findings/facts.js';

/** Time over which events are counted, ms. */
const SPAN_MS = 3_600_000;
/** Minimum time between two recorded totals, ms. */
const STEP_MS = 60_000;

interface Totals {
  /** Wall clock, ms. */
  readonly at: number;
  readonly topics: readonly Counted[];
}

type Counted = Pick<TopicFacts, 'topic' | 'accepted' | 'late' | 'duplicate' | 'faults'>;

/**
 * Event counts of the last hour, by topic and outcome, as differences of totals since the start.
 */
export class RecentCounts {
  /**
   * Totals that were recorded at least `STEP_MS` apart, oldest first: all of the last hour, and the
   * newest ones from before it.
   */
  #noted: Totals[] = [];

  /**
   * Compute the counts of the last hour. @param now wall clock, ms @param counted totals so far;
   * topics always in the same order
   */
  of(now: number, counted: readonly Counted[]): readonly RecentEvents[] {
    const topics = counted.map((own) => ({
      ...own,
      faults: { ...own.faults },
    }));
    const last = this.#noted.at(-1);
    if (last === undefined || now - last.at >= STEP_MS) {
      this.#noted.push({
        at: now,
        topics,
      });
    }
    while ((this.#noted[1]?.at ?? now) <= now - SPAN_MS) {
      this.#noted.shift();
    }
    const before = this.#noted[0]!;
    const isBefore = before.at <= now - SPAN_MS;
    return topics.map(({ topic, accepted, late, duplicate, faults }, t) => {
      const since = isBefore ? before.topics[t]! : NOTHING;
      const recent = Object.entries(faults).map(
        ([reason, count]) => [reason, count - (since.faults[reason] ?? 0)] as const,
      );
      const [most] = recent.toSorted(([, a], [, b]) => b - a);
      return {
        topic,
        accepted: accepted - since.accepted,
        late: late - since.late,
        duplicate: duplicate - since.duplicate,
        rejected: rejectedOf({ faults: Object.fromEntries(recent) }),
        mostRejectedAs: most !== undefined && most[1] > 0 ? most[0] : undefined,
      };
    });
  }
}

const NOTHING: Omit<Counted, 'topic'> = {
  accepted: 0,
  late: 0,
  duplicate: 0,
  faults: {},
};
