import { UnskewError } from '../../errors.js';
import type { LogSource, LogWriter, OutgoingRecord } from '../../stream/ports.js';
import { PartitionLog } from './partition-log.js';
import { ConsumerGroup, MemorySource, type MemorySourceOptions } from './source.js';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Choose one of `count` partitions for a key, by the 32-bit FNV-1a hash of its bytes. */
export function partitionOfKey(key: NonNullable<OutgoingRecord['key']>, count: number): number {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key;
  let hash = FNV_OFFSET;
  for (const byte of bytes) {
    hash = Math.imul(hash ^ byte, FNV_PRIME);
  }
  return (hash >>> 0) % count;
}

export interface MemoryBrokerOptions {
  /** Number of records kept per partition; older ones are dropped, which readers see as a gap. */
  readonly recordsPerPartition?: number;
  /** Clock for the log's record times, ms. */
  readonly now?: () => number;
}

/**
 * In-memory broker with partitioned logs and consumer groups. Replaces Kafka in tests and in the
 * demo.
 */
export class MemoryBroker {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #topics = new Map<string, PartitionLog[]>();
  readonly #groups = new Map<string, ConsumerGroup>();

  constructor({ recordsPerPartition = 1_000_000, now = Date.now }: MemoryBrokerOptions = {}) {
    this.#limit = recordsPerPartition;
    this.#now = now;
  }

  createTopic(topic: string, partitions: number): void {
    if (this.#topics.has(topic)) throw new UnskewError('BROKER', `topic ${topic} exists already`);
    const logs = Array.from({ length: partitions }, () => new PartitionLog(this.#limit));
    this.#topics.set(topic, logs);
  }

  /** Delete a topic and create it again. */
  recreateTopic(topic: string): void {
    for (const log of this.logs(topic)) {
      log.recreate();
    }
  }

  /** Add partitions to a topic; members of a group see them at the next rebalance. */
  addPartitions(topic: string, count: number): void {
    const added = Array.from({ length: count }, () => new PartitionLog(this.#limit));
    this.#topics.set(topic, [...this.logs(topic), ...added]);
  }

  /** Partitions of a topic. @throws UnskewError BROKER if there is no such topic. */
  logs(topic: string): readonly PartitionLog[] {
    const logs = this.#topics.get(topic);
    if (!logs) throw new UnskewError('BROKER', `there is no topic "${topic}": create it first`);
    return logs;
  }

  producer(): LogWriter {
    let roundRobin = 0;
    const partitionFor = ({ key, partition }: OutgoingRecord, count: number): number => {
      if (partition === undefined) {
        return key === null ? roundRobin++ % count : partitionOfKey(key, count);
      }
      if (partition >= 0 && partition < count) return partition;
      throw new UnskewError('BROKER', `there is no partition ${partition}, only ${count}`);
    };
    return {
      send: async (topic, records) => {
        const logs = this.logs(topic);
        const now = this.#now();
        const changed = new Set<PartitionLog>();
        try {
          for (const record of records) {
            const log = logs[partitionFor(record, logs.length)] as PartitionLog;
            log.append(bytesOf(record.value), now);
            changed.add(log);
          }
        } finally {
          for (const log of changed) {
            log.notify();
          }
        }
      },
      close: async () => {},
    };
  }

  source(options: MemorySourceOptions): LogSource {
    let group = this.#groups.get(options.group);
    if (!group) {
      group = new ConsumerGroup();
      this.#groups.set(options.group, group);
    }
    return new MemorySource((topic) => this.logs(topic), group, options);
  }
}

function bytesOf(value: OutgoingRecord['value']): Uint8Array | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
