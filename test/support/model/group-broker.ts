import { balancePartitions } from '../../../src/adapters/kafka/balance.js';
import type { LogEnd, TopicRole } from '../../../src/stream/ports.js';
import { type GrowingLog, ROLES } from './growing-log.js';

/** What a member learns of its group. */
export interface Membership {
  readonly generation: number;
  readonly partitions: readonly number[];
}

interface Fetched {
  readonly values: readonly Uint8Array[];
  readonly recordTs: readonly number[];
  readonly high: number;
}

const SESSION_MS = 3_000;

/**
 * A broker with one consumer group. A change gives the partitions to their new owners at once, and
 * who had them before learns of it by its next heartbeat: later than the protocol would allow.
 */
export class GroupBroker {
  readonly partitions: number;
  readonly #log: GrowingLog;
  readonly #heardAt = new Map<string, number>();
  readonly #committed = new Set<number>();
  /** Where transactions that are open began, by topic-partition. */
  readonly #open = new Map<string, number[]>();
  #generation = 0;
  #shares: ReadonlyMap<string, readonly number[]> = new Map();

  constructor(log: GrowingLog, partitions: number) {
    this.#log = log;
    this.partitions = partitions;
  }

  join(member: string): Membership | undefined {
    this.#heardAt.set(member, Date.now());
    this.#share();
    return this.heartbeat(member);
  }

  leave(member: string): void {
    if (this.#heardAt.delete(member)) this.#share();
  }

  /** @returns undefined: it is not a member, and has to rejoin */
  heartbeat(member: string): Membership | undefined {
    if (!this.#heardAt.has(member)) return undefined;
    this.#heardAt.set(member, Date.now());
    return { generation: this.#generation, partitions: this.#shares.get(member)! };
  }

  /** Members that were silent for too long are none any more. */
  expire(): void {
    const silent = [...this.#heardAt].filter(([, at]) => Date.now() - at > SESSION_MS);
    for (const [member] of silent) this.#heardAt.delete(member);
    if (silent.length > 0) this.#share();
  }

  fetch(role: TopicRole, partition: number, from: number, most: number): Fetched {
    const { values, recordTs } = this.#log.of(role, partition);
    const range = [from, Math.min(from + most, this.#stable(role, partition))] as const;
    return {
      values: values.slice(...range),
      recordTs: recordTs.slice(...range),
      high: values.length,
    };
  }

  /** Begins a transaction that all records from now on are behind. @returns what ends it */
  hang(role: TopicRole, partition: number): () => void {
    const key = `${role}/${partition}`;
    const first = this.#log.of(role, partition).values.length;
    this.#open.set(key, [...(this.#open.get(key) ?? []), first]);
    return () => {
      const others = [...this.#open.get(key)!];
      others.splice(others.indexOf(first), 1);
      this.#open.set(key, others);
    };
  }

  commit(partition: number): void {
    this.#committed.add(partition);
  }

  /** Partitions that anything was ever committed of. */
  committed(): readonly number[] {
    return [...this.#committed];
  }

  /** Where all logs end. */
  ends(): readonly Omit<LogEnd, 'next'>[] {
    return ROLES.flatMap((role) =>
      Array.from({ length: this.partitions }, (_, partition) => ({
        role,
        partition,
        end: this.#log.of(role, partition).values.length,
        stable: this.#stable(role, partition),
      })),
    );
  }

  #stable(role: TopicRole, partition: number): number {
    const { length } = this.#log.of(role, partition).values;
    return Math.min(length, ...(this.#open.get(`${role}/${partition}`) ?? []));
  }

  #share(): void {
    this.#generation++;
    this.#shares = balancePartitions([...this.#heardAt.keys()], this.partitions);
  }
}
