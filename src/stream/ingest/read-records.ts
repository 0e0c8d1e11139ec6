import type { NextOffsets, RecordBatch, TopicRole } from '../ports.js';
import type { Outcomes } from './outcomes.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

export type Accounts = Readonly<Record<TopicRole, Readonly<Record<string, number>>>>;

/** How far each topic-partition is read, and what became of its records in all processes that read it. */
export class ReadRecords {
  readonly #next = new Map<string, number>();
  readonly #accounts = new Map<string, Record<string, number>>();

  /** Offset that is to be read next; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined {
    return this.#next.get(keyOf(role, partition));
  }

  nextOffsets(partition: number): NextOffsets {
    const next: { [role in TopicRole]?: number } = {};
    for (const role of ROLES) {
      const offset = this.nextOffset(role, partition);
      if (offset !== undefined) next[role] = offset;
    }
    return next;
  }

  /** What became of a partition's records before those offsets, by outcome. */
  accounts(partition: number): Accounts {
    const of = (role: TopicRole) => ({ ...this.#accounts.get(keyOf(role, partition)) });
    return { exposures: of('exposures'), interactions: of('interactions') };
  }

  /** Goes on from what another process has read. */
  resume(partition: number, next: NextOffsets, accounts: Accounts): void {
    for (const role of ROLES) {
      const offset = next[role];
      if (offset !== undefined) this.#next.set(keyOf(role, partition), offset);
      this.#accounts.set(keyOf(role, partition), { ...accounts[role] });
    }
  }

  /** The log was made anew: its offsets start over, and none of them was applied. */
  forget(role: TopicRole, partition: number): void {
    this.#next.delete(keyOf(role, partition));
  }

  /** The first record of a batch that has not been applied. */
  firstNew({ role, partition, offsets }: RecordBatch): number {
    const expected = this.nextOffset(role, partition);
    if (expected === undefined) return 0;
    let first = 0;
    while (first < offsets.length && offsets[first] < expected) first++;
    return first;
  }

  /** Notes that records are applied, the last of them before the offset `next`. */
  note(role: TopicRole, partition: number, next: number, outcomes: Outcomes): void {
    const key = keyOf(role, partition);
    this.#next.set(key, next);
    const account = this.#accounts.get(key) ?? {};
    outcomes.forEach((outcome, count) => {
      account[outcome] = (account[outcome] ?? 0) + count;
    });
    this.#accounts.set(key, account);
  }
}

function keyOf(role: TopicRole, partition: number): string {
  return `${role}/${partition}`;
}
