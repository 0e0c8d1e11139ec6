import type Cluster from 'kafkajs/src/cluster/index.js';

/** Asks the brokers for the end offsets of partitions, over connections of its own. */
export class TopicEnds {
  /** Reused connection; undefined before the first request and after a failed one. */
  #cluster: Cluster | undefined;
  readonly #topics = new Set<string>();

  /** @param make creates a cluster with the isolation level of the requests, see `rawCluster` */
  constructor(private readonly make: () => Cluster) {}

  /**
   * Offset after the newest record of each partition.
   *
   * @throws Error if a broker does not answer; the next request connects again
   */
  async of(topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    try {
      const cluster = await this.#connected();
      if (!this.#topics.has(topic)) {
        await cluster.addTargetTopic(topic);
        this.#topics.add(topic);
      }
      await cluster.refreshMetadataIfNecessary();
      const [found] = await cluster.fetchTopicsOffset([
        {
          topic,
          fromBeginning: false,
          partitions: partitions.map((partition) => ({ partition })),
        },
      ]);
      const ends = new Map(
        found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
      );
      // The client skips partitions that are newer than its metadata.
      if (partitions.some((partition) => !ends.has(partition))) await this.close();
      return ends;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    this.#topics.clear();
    // A connection that is broken already has nothing left to close.
    await cluster?.disconnect().catch(() => {});
  }

  async #connected(): Promise<Cluster> {
    if (this.#cluster === undefined) {
      this.#cluster = this.make();
      await this.#cluster.connect();
    }
    return this.#cluster;
  }
}
