import type { RecentEvents } from '../../rows/findings/facts.js';
import { type ReadingCounts, readingOf } from '../../rows/findings/reading.js';

/** Over how long events are counted, ms. */
const SPAN_MS = 3_600_000;
/** How often the totals are noted, ms. */
const STEP_MS = 60_000;

interface Totals extends RecentEvents {
  /** Wall clock, ms. */
  readonly at: number;
}

/** Events of the last hour by what became of them, out of counts since the start. */
export class RecentCounts {
  /** One a minute of the last hour, and one of before. */
  #noted: Totals[] = [];

  /** @param topics what was counted by now, wall clock in ms */
  of(now: number, topics: Parameters<typeof readingOf>[0]): RecentEvents {
    const { accepted, late, duplicate }: ReadingCounts = readingOf(topics);
    const totals = { at: now, accepted, late, duplicate };
    const last = this.#noted.at(-1);
    if (last === undefined || now - last.at >= STEP_MS) this.#noted.push(totals);
    while ((this.#noted[1]?.at ?? now) <= now - SPAN_MS) this.#noted.shift();
    const before = this.#noted[0]!;
    const since = before.at <= now - SPAN_MS ? before : NOTHING;
    return {
      accepted: accepted - since.accepted,
      late: late - since.late,
      duplicate: duplicate - since.duplicate,
    };
  }
}

const NOTHING: RecentEvents = { accepted: 0, late: 0, duplicate: 0 };
