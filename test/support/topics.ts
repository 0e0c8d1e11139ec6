import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  type Admin,
  type ITopicConfig,
  Kafka,
  logLevel,
  type Message,
  type Producer,
} from 'kafkajs';
import { eventually } from './program.js';

/** Below what a broker takes at a time. */
const BYTES_PER_REQUEST = 500_000;

/**
 * Creates topics and waits for their leaders. The client's own waiting ends with an error where a
 * busy broker does not yet know of a topic that it has just created.
 */
export async function createTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  await admin.createTopics({ topics, waitForLeaders: false });
  const names = topics.map(({ topic }) => topic);
  await eventually(
    `leaders of ${names.join(', ')}`,
    () =>
      admin.fetchTopicMetadata({ topics: names }).catch((error: unknown) => {
        // Its class is not a named export where the client is loaded as it is, without a bundler.
        if (error instanceof Error && error.name.startsWith('KafkaJS')) return { topics: [] };
        throw error;
      }),
    ({ topics: found }) =>
      found.length === names.length &&
      found.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0)),
  );
}

/** A pair of topics of a test's own, with a dead-letter topic, on a real broker. */
export class TestTopics {
  readonly name = `t${randomUUID()}`;
  readonly kafka: Kafka;
  readonly #brokers: string;
  #producer: Producer;

  private constructor(brokers: string) {
    this.#brokers = brokers;
    this.kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    this.#producer = this.#newProducer();
  }

  /** A request that is sent again must not write twice: tests count what is there. */
  #newProducer(): Producer {
    return this.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  }

  static async create(brokers: string, partitions: number): Promise<TestTopics> {
    const topics = new TestTopics(brokers);
    const admin = topics.kafka.admin();
    await admin.connect();
    await createTopics(
      admin,
      ['exposures', 'interactions']
        .map((role) => ({ topic: `${topics.name}.${role}`, numPartitions: partitions }))
        .concat({ topic: `${topics.name}.dead`, numPartitions: 1 }),
    );
    await admin.disconnect();
    await topics.#producer.connect();
    return topics;
  }

  /** Settings that make a service read these topics. */
  get settings(): Record<string, string> {
    return {
      UNSKEW_KAFKA_BROKERS: this.#brokers,
      UNSKEW_KAFKA_GROUP_ID: this.name,
      UNSKEW_KAFKA_TOPICS_EXPOSURES: `${this.name}.exposures`,
      UNSKEW_KAFKA_TOPICS_INTERACTIONS: `${this.name}.interactions`,
      UNSKEW_KAFKA_TOPICS_DEAD_LETTER: `${this.name}.dead`,
      UNSKEW_HTTP_PORT: '0',
    };
  }

  async send(role: 'exposures' | 'interactions', messages: Message[]): Promise<void> {
    const topic = `${this.name}.${role}`;
    let due: Message[] = [];
    let bytes = 0;
    for (const message of messages) {
      due.push(message);
      bytes += message.value?.length ?? 0;
      if (bytes < BYTES_PER_REQUEST) continue;
      await this.#producer.send({ topic, messages: due });
      due = [];
      bytes = 0;
    }
    if (due.length > 0) await this.#producer.send({ topic, messages: due });
  }

  /** Goes on with another producer: a log that lost records does not know the former's numbers. */
  async renewProducer(): Promise<void> {
    await this.#producer.disconnect();
    this.#producer = this.#newProducer();
    await this.#producer.connect();
  }

  /**
   * Writes event files in their order, each event to the topic of its type, keyed by user.
   *
   * @param also what to send right after a line, to the same partition
   */
  async sendFiles(
    paths: readonly string[],
    also: (line: string, n: number) => readonly string[] = () => [],
  ): Promise<number> {
    let sent = 0;
    for (const path of paths) {
      const due: Record<'exposures' | 'interactions', Message[]> = {
        exposures: [],
        interactions: [],
      };
      for await (const line of createInterface({ input: createReadStream(path) })) {
        const { type, user } = JSON.parse(line) as { type: string; user: string };
        const values = [line, ...also(line, sent)];
        const role = type === 'exposure' ? 'exposures' : 'interactions';
        due[role].push(...values.map((value) => ({ key: user, value })));
        sent += values.length;
      }
      await this.send('exposures', due.exposures);
      await this.send('interactions', due.interactions);
    }
    return sent;
  }

  /** Records of both topics below the offsets that a group has committed. */
  async committed(groupId: string): Promise<number> {
    const admin = this.kafka.admin();
    await admin.connect();
    const topics = ['exposures', 'interactions'].map((role) => `${this.name}.${role}`);
    const found = await admin.fetchOffsets({ groupId, topics });
    await admin.disconnect();
    return found
      .flatMap(({ partitions }) => partitions)
      .reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  }

  async delete(): Promise<void> {
    await this.#producer.disconnect();
    const admin = this.kafka.admin();
    await admin.connect();
    const own = ['exposures', 'interactions', 'dead'].map((role) => `${this.name}.${role}`);
    // With the panes topics of all groups that have read these.
    const panes = (await admin.listTopics()).filter(
      (topic) => topic.startsWith(this.name) && topic.endsWith('.panes'),
    );
    await admin.deleteTopics({ topics: [...own, ...panes] });
    await admin.disconnect();
  }
}
