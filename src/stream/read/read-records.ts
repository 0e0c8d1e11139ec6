import type { Outcomes } from '../outcomes.js';
import type { LogChange, NextOffsets, ReadThrough, RecordBatch, TopicRole } from '../ports.js';
import { type RecordMark, RecordTrail } from './record-mark.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/** Counts of events by outcome, for each topic of a partition. */
export type Accounts = Readonly<Record<TopicRole, Readonly<Record<string, number>>>>;

/**
 * Marks of the records read from both topics of a partition, newest first; no entry for a topic
 * that was never read.
 */
export type Marks = { readonly [role in TopicRole]?: readonly RecordMark[] };

/**
 * Next offset of each topic-partition, and the outcomes of its records counted over all processes
 * that have read it.
 */
export class ReadRecords {
  readonly #next = new Map<string, number>();
  readonly #accounts = new Map<string, Record<string, number>>();
  readonly #trails = new Map<string, RecordTrail>();

  /** Next offset to read; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined {
    return this.#next.get(keyOf(role, partition));
  }

  /** Copy of all next offsets, which later reading does not change. */
  nextOffsetsNow(): (role: TopicRole, partition: number) => number | undefined {
    const next = new Map(this.#next);
    return (role, partition) => next.get(keyOf(role, partition));
  }

  /** Next offsets of both topics of a partition. */
  nextOffsets(partition: number): NextOffsets {
    const next: { [role in TopicRole]?: number } = {};
    for (const role of ROLES) {
      const offset = this.nextOffset(role, partition);
      if (offset !== undefined) {
        next[role] = offset;
      }
    }
    return next;
  }

  /**
   * Next offset to read, with marks of the records before it; undefined before the first record.
   */
  readThrough(role: TopicRole, partition: number): ReadThrough | undefined {
    const next = this.nextOffset(role, partition);
    const marks = this.#trails.get(keyOf(role, partition))?.marks ?? [];
    return next === undefined ? undefined : { next, marks };
  }

  /** Marks of a partition's records; undefined if there are none. */
  marks(partition: number): Marks | undefined {
    const all: { [role in TopicRole]?: readonly RecordMark[] } = {};
    for (const role of ROLES) {
      const trail = this.#trails.get(keyOf(role, partition));
      if (trail !== undefined) {
        all[role] = trail.marks;
      }
    }
    return Object.keys(all).length === 0 ? undefined : all;
  }

  /** Outcomes of a partition's records before the next offsets. */
  accounts(partition: number): Accounts {
    const of = (role: TopicRole) => ({ ...this.#accounts.get(keyOf(role, partition)) });
    return {
      exposures: of('exposures'),
      interactions: of('interactions'),
    };
  }

  /** Continue from the progress of another process. */
  resume(partition: number, next: NextOffsets, accounts: Accounts, marks: Marks = {}): void {
    for (const role of ROLES) {
      const key = keyOf(role, partition);
      const offset = next[role];
      if (offset !== undefined) {
        this.#next.set(key, offset);
      }
      this.#accounts.set(key, { ...accounts[role] });
      const trail = marks[role];
      if (trail !== undefined) {
        this.#trails.set(key, new RecordTrail(trail));
      }
    }
  }

  /** Continue at the offset where the log changed, and drop the marks from there on. */
  rewind(
    role: TopicRole,
    partition: number,
    { found, kept }: Pick<LogChange, 'found' | 'kept'>,
  ): void {
    this.#next.set(keyOf(role, partition), found);
    this.#trails.get(keyOf(role, partition))?.cut(found, kept);
  }

  /** Index of the first record of a batch that was not applied before. */
  firstNew({ role, partition, offsets }: RecordBatch): number {
    const expected = this.nextOffset(role, partition);
    if (expected === undefined) return 0;
    let first = 0;
    while (first < offsets.length && offsets[first] < expected) {
      first++;
    }
    return first;
  }

  /** Note that rows `from` to `to` (exclusive) of a batch were applied, with their outcomes. */
  note(batch: RecordBatch, from: number, to: number, outcomes: Outcomes): void {
    const { role, partition, offsets } = batch;
    const key = keyOf(role, partition);
    this.#next.set(key, offsets[to - 1] + 1);
    this.#leaveMarks(key, batch, from, to - 1);
    const account = this.#accounts.get(key) ?? {};
    outcomes.forEach((outcome, count) => {
      account[outcome] = (account[outcome] ?? 0) + count;
    });
    this.#accounts.set(key, account);
  }

  /** Add a mark of the last applied record, and of the first one if the trail is empty. */
  #leaveMarks(key: string, batch: RecordBatch, first: number, last: number): void {
    if (batch.mark === undefined) return;
    const trail = this.#trails.get(key) ?? new RecordTrail();
    this.#trails.set(key, trail);
    if (trail.marks.length === 0 && last > first) {
      trail.add(batch.mark(first));
    }
    trail.add(batch.mark(last));
  }
}

function keyOf(role: TopicRole, partition: number): string {
  return `${role}/${partition}`;
}
