import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import type { LogSource, NextOffsets, SourceHandlers } from '../../stream/ports.js';
import { brokerError, causesOf } from './broker-error.js';
import { MissingCodec, registerCodecs } from './codecs.js';
import { DEFAULT_CONNECT_TIMEOUT_MS, type KafkaOptions, kafkaClient } from './options.js';
import { GroupSession } from './session/group-session.js';
import { HandlerFailure } from './session/handler-failure.js';
import { checkTopics } from './topics.js';
import { withAdmin } from './with-admin.js';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

/**
 * Reads the two topics as a member of a consumer group, partition p of both in the same process.
 * A broker that goes away is tried again until it is back, and reading goes on where it stood.
 */
export class KafkaSource implements LogSource {
  readonly #options: KafkaOptions;
  readonly #kafka: Kafka;
  readonly #stopping = new AbortController();
  readonly #held = new Set<number>();
  #session: GroupSession | undefined;
  #heldBack: readonly number[] = [];
  #supervision: Promise<void> = Promise.resolve();

  constructor(options: KafkaOptions) {
    this.#options = options;
    this.#kafka = kafkaClient(options);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    registerCodecs();
    const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = this.#options;
    try {
      await this.#reachBroker(Date.now() + connectTimeoutMs);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      throw error;
    }
    if (this.#stopping.signal.aborted) return;
    const session = this.#open(handlers);
    const isJoined = await Promise.race([
      session.joined.then(() => true),
      session.ended.then(() => false),
    ]);
    if (!isJoined) {
      const reason = await session.ended;
      if (reason === undefined) return;
      throw told(reason) ?? brokerError(`cannot read from Kafka at ${this.#address}`, reason);
    }
    this.#supervision = this.#supervise(session, handlers);
  }

  holdBack(partitions: readonly number[]): void {
    this.#heldBack = partitions;
    this.#session?.holdBack(partitions);
  }

  commit(partition: number, next: NextOffsets): void {
    this.#session?.commit(partition, next);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.stop();
    await this.#supervision;
  }

  get #address(): string {
    return this.#options.brokers.join(', ');
  }

  #open(handlers: SourceHandlers): GroupSession {
    this.#session = new GroupSession(this.#kafka, this.#options, handlers, this.#held);
    this.#session.holdBack(this.#heldBack);
    this.#session.start();
    return this.#session;
  }

  /** Opens a new session each time one ends, until stopped or until trying again cannot help. */
  async #supervise(first: GroupSession, handlers: SourceHandlers): Promise<void> {
    const { signal } = this.#stopping;
    let session = first;
    let backoffMs = FIRST_BACKOFF_MS;
    let hasJoined = true;
    while (true) {
      const reason = await session.ended;
      if (signal.aborted || reason === undefined) return;
      const final = told(reason);
      try {
        handlers.state('disconnected');
        if (final) {
          fail(handlers, final);
          return;
        }
        this.#options.log?.('warn', 'Kafka is away, trying again', { reason: `${reason}` });
        backoffMs = hasJoined ? FIRST_BACKOFF_MS : Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
        await sleep(backoffMs, undefined, { signal });
        await this.#reachBroker(Number.POSITIVE_INFINITY);
        this.#options.log?.('info', 'Kafka is back', { brokers: this.#address });
      } catch (error) {
        if (!signal.aborted) fail(handlers, error as Error);
        return;
      }
      if (signal.aborted) return;
      session = this.#open(handlers);
      hasJoined = false;
      void session.joined.then(() => {
        hasJoined = true;
      });
    }
  }

  /** Waits until the broker answers and checks the topics. */
  async #reachBroker(deadline: number): Promise<void> {
    const { signal } = this.#stopping;
    const failure = `cannot reach Kafka at ${this.#address}`;
    const client = kafkaClient(this.#options, 0);
    const check = (): Promise<void> =>
      withAdmin(client, (admin) => checkTopics(admin, this.#options.topics));
    let last: unknown = new Error('no answer');
    for (let waitMs = FIRST_BACKOFF_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS)) {
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0) throw brokerError(failure, last);
      try {
        return await withinTime(remainingMs, check(), last);
      } catch (error) {
        last = error;
        // A topic that is missing at the start is a mistake; later it may be coming back.
        const isFinal = Number.isFinite(deadline) || (error as UnskewError).code === 'USAGE';
        if (error instanceof UnskewError && isFinal) throw error;
      }
      await sleep(Math.max(0, Math.min(waitMs, deadline - Date.now())), undefined, { signal });
    }
  }
}

async function withinTime<T>(ms: number, work: Promise<T>, late: unknown): Promise<T> {
  if (!Number.isFinite(ms)) return work;
  const cancel = new AbortController();
  const timer = sleep(ms, undefined, { signal: cancel.signal }).then(() => Promise.reject(late));
  try {
    return await Promise.race([work, timer]);
  } finally {
    cancel.abort();
    // Whichever of the two came second has nobody waiting for it.
    work.catch(() => {});
    timer.catch(() => {});
  }
}

/** The error to give up with, where trying again cannot help. */
function told(reason: unknown): Error | undefined {
  for (const error of causesOf(reason)) {
    if (error instanceof HandlerFailure) return error.cause as Error;
    if (error instanceof MissingCodec) return error;
  }
  return undefined;
}

function fail(handlers: SourceHandlers, error: Error): void {
  if (handlers.failed) handlers.failed(error);
  else {
    queueMicrotask(() => {
      throw error;
    });
  }
}
