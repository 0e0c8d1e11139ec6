import { FAULT_REASONS } from '../../events/fault.js';
import type { Check } from '../../outputs/http/routes/service-routes.js';
import type { QualityReport } from '../../outputs/http/schema/live-state.js';
import type { TopicRole } from '../../stream/ports.js';
import type { AppliedBatch } from '../../stream/read/ingest.js';
import type { LogContact } from '../../stream/read/log-contact.js';

interface TopicBook {
  accepted: number;
  late: number;
  duplicate: number;
  ignored: number;
  overItemLimit: number;
  readonly faults: Map<string, number>;
  /** Newest event time of each partition, ms; null before its first event. */
  readonly partitions: Map<number, number | null>;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/**
 * Counts the outcomes of events since the service started, by topic, and records the newest event
 * time of each partition.
 */
export class QualityBook {
  readonly #books: Readonly<Record<TopicRole, TopicBook>> = {
    exposures: emptyBook(),
    interactions: emptyBook(),
  };

  /**
   * @param contact state of the connection to the log. Without a connection, the number of unread
   * records is unknown
   */
  constructor(
    private readonly topics: Readonly<Record<TopicRole, string>>,
    private readonly contact: Pick<LogContact, 'heard' | 'isThere'>,
  ) {}

  add({ role, partition, outcomes, newestTs }: AppliedBatch): void {
    const book = this.#books[role];
    book.accepted += outcomes.accepted;
    book.late += outcomes.late;
    book.duplicate += outcomes.duplicate;
    book.ignored += outcomes.ignored;
    book.overItemLimit += outcomes.overItemLimit;
    outcomes.faults.forEach((count, code) => {
      if (count === 0) return;
      const reason = FAULT_REASONS[code];
      book.faults.set(reason, (book.faults.get(reason) ?? 0) + count);
    });
    book.partitions.set(partition, Number.isFinite(newestTs) ? newestTs : null);
  }

  /** Drop the partitions that are no longer assigned to this process. */
  keep(partitions: readonly number[]): void {
    for (const book of Object.values(this.#books)) {
      for (const partition of book.partitions.keys()) {
        if (!partitions.includes(partition)) {
          book.partitions.delete(partition);
        }
      }
    }
  }

  report(checks: readonly Check[]): QualityReport {
    return {
      ready: checks.every(({ ok }) => ok),
      checks: checks.map((check) => ({ ...check })),
      topics: ROLES.map((role) => {
        const { faults, partitions, ...counts } = this.#books[role];
        const read = [...partitions].sort(([a], [b]) => a - b);
        const lags = read.map(([partition]) => this.#lagOf(role, partition));
        const heard = (partition: number) => this.#heardOf(role, partition);
        return {
          topic: this.topics[role],
          ...counts,
          faults: Object.fromEntries(faults),
          lag: lags.reduce((sum, lag) => (sum === null || lag === null ? null : sum + lag), 0),
          partitions: read.map(([partition, watermark], n) => ({
            partition,
            watermark,
            lag: lags[n],
            transactionSince: heard(partition)?.transaction?.since ?? null,
          })),
        };
      }),
    };
  }

  #lagOf(role: TopicRole, partition: number): number | null {
    if (!this.contact.isThere) return null;
    return this.#heardOf(role, partition)?.lag ?? null;
  }

  #heardOf(role: TopicRole, partition: number) {
    return this.contact.heard.find((one) => one.role === role && one.partition === partition);
  }
}

function emptyBook(): TopicBook {
  const counts = {
    accepted: 0,
    late: 0,
    duplicate: 0,
    ignored: 0,
    overItemLimit: 0,
  };
  return {
    ...counts,
    faults: new Map(),
    partitions: new Map(),
  };
}
