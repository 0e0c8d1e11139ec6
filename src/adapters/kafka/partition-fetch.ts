import type { KafkaMessage } from 'kafkajs';
import type Cluster from 'kafkajs/src/cluster/index.js';
import { causesOf } from './broker-error.js';
import type { KafkaConnectionOptions } from './options.js';
import { READ_COMMITTED, rawCluster } from './raw-cluster.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** Reads one partition of a topic from a given offset, without a group. */
export class PartitionFetch {
  #cluster: Cluster | undefined;

  constructor(
    private readonly options: KafkaConnectionOptions,
    private readonly topic: string,
    private readonly partition: number,
  ) {}

  /**
   * Fetch records at or after `offset`, waiting up to `waitMs` for the first one.
   *
   * @returns undefined if the offset is outside of the log
   */
  async fetch(offset: number, waitMs: number): Promise<readonly KafkaMessage[] | undefined> {
    try {
      const cluster = await this.#connected();
      const [nodeId] = Object.keys(cluster.findLeaderForPartitions(this.topic, [this.partition]));
      const broker = await cluster.findBroker({ nodeId: nodeId ?? '-1' });
      const partition = {
        partition: this.partition,
        fetchOffset: `${offset}`,
        maxBytes: MAX_BYTES,
      };
      const { responses } = await broker.fetch({
        replicaId: -1,
        isolationLevel: READ_COMMITTED,
        maxWaitTime: waitMs,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        topics: [
          {
            topic: this.topic,
            partitions: [partition],
          },
        ],
      });
      const fetched = responses[0]?.partitions[0]?.messages ?? [];
      return fetched.filter(
        ({ offset: at, isControlRecord }) => Number(at) >= offset && !isControlRecord,
      );
    } catch (error) {
      if (isKind(error, 'OFFSET_OUT_OF_RANGE')) return undefined;
      // The next call finds the leader again.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    // A connection that is broken already has nothing left to close.
    await cluster?.disconnect().catch(() => {});
  }

  async #connected(): Promise<Cluster> {
    if (this.#cluster !== undefined) return this.#cluster;
    const cluster = rawCluster(this.options, READ_COMMITTED);
    this.#cluster = cluster;
    await cluster.connect();
    await cluster.addTargetTopic(this.topic);
    return cluster;
  }
}

export function isKind(error: unknown, kind: string): boolean {
  return causesOf(error).some((cause) => (cause as { type?: unknown }).type === kind);
}
