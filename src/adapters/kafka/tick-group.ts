import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, Kafka } from 'kafkajs';
import type { Leadership } from '../../stream/tick-flow.js';
import { brokerError } from './broker-error.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';

export interface TickGroupOptions {
  readonly groupId: string;
  readonly topic: string;
  readonly sessionTimeoutMs: number;
}

/** Delay before joining the group again after a crash of the client, ms. */
const AGAIN_MS = 1_000;

/**
 * Elects a leader among the tickers by a consumer group: the member with partition 0 of the panes
 * topic leads. The group reads no records, since each ticker reads all partitions itself.
 */
export class KafkaTickGroup implements Leadership {
  readonly #kafka: Kafka;
  readonly #options: TickGroupOptions;
  #consumer: Consumer | undefined;
  #isLeader = false;
  #trouble: string | undefined;
  #isStopped = false;
  #changed: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(connection: KafkaConnectionOptions, options: TickGroupOptions) {
    // The client's messages about rebalances are not logged.
    const { log: _, ...silent } = connection;
    this.#kafka = kafkaClient(silent);
    this.#options = options;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Join the group in the background. Until it has joined, this process does not lead. */
  async start(changed: () => void): Promise<void> {
    this.#changed = changed;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#lead(false);
    await this.#consumer?.disconnect().catch(() => {});
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#session().catch((error: unknown) => {
        const what = `cannot join the Kafka group ${this.#options.groupId}`;
        this.#tell(brokerError(what, error).message);
      });
      this.#lead(false);
      if (!this.#isStopped) {
        await sleep(AGAIN_MS);
      }
    }
  }

  /** One membership, from joining to a crash or stop. */
  async #session(): Promise<void> {
    const { groupId, topic, sessionTimeoutMs } = this.#options;
    const consumer = this.#kafka.consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(3_000, Math.floor(sessionTimeoutMs / 3)),
      allowAutoTopicCreation: false,
      retry: {
        retries: 3,
        initialRetryTime: 200,
        restartOnFailure: async () => false,
      },
    });
    this.#consumer = consumer;
    const { CRASH, DISCONNECT, GROUP_JOIN, REBALANCING } = consumer.events;
    const ended = new Promise<void>((resolve, reject) => {
      consumer.on(CRASH, ({ payload }) => reject(payload.error));
      consumer.on(DISCONNECT, () => resolve());
    });
    // The session may end before it has joined.
    ended.catch(() => {});
    consumer.on(REBALANCING, () => this.#lead(false));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      const own = payload.memberAssignment[topic] ?? [];
      if (own.length > 0) {
        consumer.pause([
          {
            topic,
            partitions: own,
          },
        ]);
      }
      this.#tell(undefined);
      this.#lead(own.includes(0));
    });
    try {
      await consumer.connect();
      await consumer.subscribe({ topic });
      await consumer.run({
        autoCommit: false,
        eachBatch: async () => {},
      });
      await ended;
    } finally {
      await consumer.disconnect().catch(() => {});
    }
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#changed();
  }

  #lead(isLeader: boolean): void {
    if (isLeader === this.#isLeader) return;
    this.#isLeader = isLeader;
    this.#changed();
  }
}
