import type { Admin, Kafka } from 'kafkajs';
import type { LogEnd } from '../../stream/ports.js';
import type { KafkaOptions } from './options.js';
import type { PartitionReader } from './partition-reader.js';
import { logRanges } from './topics.js';

/**
 * Asks the brokers where the partitions end that are read. The client does not report a fetch that
 * found nothing; where a log ends when it is asked says the same, and what lies before it.
 */
export class LogEnds {
  readonly #kafka: Kafka;
  readonly #options: Pick<KafkaOptions, 'topics' | 'log'>;
  readonly #reader: PartitionReader;
  /** Kept for the next question; undefined before the first one and after one that failed. */
  #admin: Promise<Admin> | undefined;

  constructor(
    kafka: Kafka,
    options: Pick<KafkaOptions, 'topics' | 'log'>,
    reader: PartitionReader,
  ) {
    this.#kafka = kafka;
    this.#options = options;
    this.#reader = reader;
  }

  /** None where the brokers do not answer. */
  async ask(): Promise<readonly LogEnd[]> {
    const { topics, log } = this.#options;
    if (this.#reader.positions.length === 0) return [];
    try {
      this.#admin ??= connected(this.#kafka);
      const admin = await this.#admin;
      const [exposures, interactions] = await Promise.all([
        logRanges(admin, topics.exposures),
        logRanges(admin, topics.interactions),
      ]);
      const ranges = { exposures, interactions };
      // Read now: what came meanwhile only makes it more.
      return this.#reader.positions.flatMap(({ role, partition, next, check }) => {
        const range = ranges[role].get(partition);
        // A log that may be another one has not been read, wherever it ends.
        return range === undefined || check !== undefined
          ? []
          : [{ role, partition, next, end: range.high }];
      });
    } catch (error) {
      log?.('debug', 'the brokers do not say where the logs end', { reason: `${error}` });
      await this.close();
      return [];
    }
  }

  async close(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    // A connection that is broken already has nothing left to close.
    await admin?.then((one) => one.disconnect()).catch(() => {});
  }
}

async function connected(kafka: Kafka): Promise<Admin> {
  const admin = kafka.admin();
  await admin.connect();
  return admin;
}
