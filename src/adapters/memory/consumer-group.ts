import { balancePartitions } from '../kafka/balance.js';

/** A member as its group sees it. */
export interface GroupMember {
  readonly partitionCount: number;
  /** Ends the reading of all partitions after the batches that are under way. */
  quiesce(): Promise<void>;
  /** Holds exactly these partitions from now on. */
  assign(partitions: readonly number[]): Promise<void>;
}

/**
 * Members that share the partitions. At each change all of them stop reading before any of them
 * starts again, so that no partition is ever read by two.
 */
export class ConsumerGroup {
  readonly #members = new Map<string, GroupMember>();
  #nextId = 0;
  /** Changes are made one after the other. */
  #last: Promise<void> = Promise.resolve();

  join(member: GroupMember): { id: string; joined: Promise<void> } {
    // Padded, so that the order of the ids is the order of joining.
    const id = `member-${String(this.#nextId++).padStart(6, '0')}`;
    return { id, joined: this.#change(() => this.#members.set(id, member)) };
  }

  leave(id: string): Promise<void> {
    return this.#change(() => this.#members.delete(id));
  }

  #change(apply: () => void): Promise<void> {
    const done = this.#last.then(async () => {
      const leaving = new Set(this.#members.values());
      await Promise.all([...leaving].map((member) => member.quiesce()));
      apply();
      const count = Math.max(0, ...[...this.#members.values()].map((m) => m.partitionCount));
      const shares = balancePartitions([...this.#members.keys()], count);
      await Promise.all(
        [...this.#members].map(([id, member]) => member.assign(shares.get(id) ?? [])),
      );
    });
    this.#last = done.catch(() => {});
    return done;
  }
}
