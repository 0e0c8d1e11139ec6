import type Cluster from 'kafkajs/src/cluster/index.js';
import type { LogEnd, TopicRole } from '../../stream/ports.js';
import type { KafkaOptions } from './options.js';
import type { PartitionReader } from './partition-reader.js';
import { READ_COMMITTED, READ_UNCOMMITTED } from './raw-cluster.js';
import { TopicEnds } from './topic-ends.js';

type Ends = Readonly<Record<TopicRole, ReadonlyMap<number, number>>>;

/**
 * Asks the brokers for the end offsets of the partitions that are read. The client does not report
 * empty fetches, so reading has reached the end of a log when the position equals the end offset.
 *
 * The end offset is the one after the last record written, whether that record can be read or not:
 * records after the start of an open transaction cannot be read until the transaction ends.
 */
export class LogEnds {
  readonly #all: TopicEnds;
  readonly #committed: TopicEnds;

  /** @param make creates a cluster for an isolation level */
  constructor(
    private readonly options: Pick<KafkaOptions, 'topics' | 'log'>,
    private readonly reader: PartitionReader,
    make: (isolationLevel: number) => Cluster,
  ) {
    this.#all = new TopicEnds(() => make(READ_UNCOMMITTED));
    this.#committed = new TopicEnds(() => make(READ_COMMITTED));
  }

  /** Position and end of each partition that is read; empty if the brokers do not answer. */
  async ask(): Promise<readonly LogEnd[]> {
    if (this.reader.positions.length === 0) return [];
    try {
      // In this order, records written between the two requests do not look like a transaction.
      const ends = await this.#endsBy(this.#all);
      const readable = await this.#endsBy(this.#committed);
      // Positions are taken after the answers, so they can only be further ahead.
      return this.reader.positions.flatMap(({ role, partition, next, check }) => {
        const end = ends[role].get(partition);
        // While a log is checked for changes, its end says nothing.
        if (end === undefined || check !== undefined) return [];
        const stable = Math.min(end, readable[role].get(partition) ?? end);
        return [
          {
            role,
            partition,
            next,
            end,
            stable,
          },
        ];
      });
    } catch (error) {
      const { log } = this.options;
      log?.('debug', 'the brokers do not report the end offsets of the topics', {
        reason: `${error}`,
      });
      return [];
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#all.close(), this.#committed.close()]);
  }

  async #endsBy(ends: TopicEnds): Promise<Ends> {
    const endsOf = (role: TopicRole) => {
      const own = this.reader.positions.filter((position) => position.role === role);
      return ends.of(
        this.options.topics[role],
        own.map(({ partition }) => partition),
      );
    };
    return {
      exposures: await endsOf('exposures'),
      interactions: await endsOf('interactions'),
    };
  }
}
