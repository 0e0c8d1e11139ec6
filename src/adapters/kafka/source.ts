import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import type { LogEnd, LogSource, NextOffsets, SourceHandlers } from '../../stream/ports.js';
import { brokerError, causesOf, mayPass } from './broker-error.js';
import { registerCodecs } from './codecs.js';
import { GroupSession, JoinAgain, StuckClient } from './group-session.js';
import { DEFAULT_CONNECT_TIMEOUT_MS, type KafkaOptions, kafkaClient } from './options.js';
import { HandlerFailure } from './position.js';
import { checkTopics, withAdmin } from './topics.js';
import { UnreadableRecords } from './unpacking/faults.js';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

/**
 * Wait until the broker answers, and check the topics.
 *
 * @param deadline ms since the epoch; Infinity to retry without limit
 * @param onFault receives what is wrong with the topics; undefined if the check failed for another
 * reason
 * @throws UnskewError BROKER if there is no answer by the deadline or the login is rejected, USAGE
 * if a topic is missing
 */
async function reachBroker(
  options: KafkaOptions,
  deadline: number,
  signal: AbortSignal,
  onFault: (why: string | undefined) => void = () => {},
): Promise<void> {
  const failure = `cannot reach Kafka at ${options.brokers.join(', ')}`;
  const client = kafkaClient(options, 0);
  const check = (): Promise<void> =>
    withAdmin(client, (admin) => checkTopics(admin, options.topics));
  let last: unknown = new Error('no answer');
  let fault: string | undefined;
  for (let waitMs = FIRST_BACKOFF_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS)) {
    const remainingMs = deadline - Date.now();
    if (remainingMs <= 0) throw brokerError(failure, last);
    try {
      return await withinTime(remainingMs, check(), last);
    } catch (error) {
      last = error;
      // At the start, a missing topic or a different number of partitions is a mistake. Later the
      // topic may be about to be recreated or extended.
      const isFinal = Number.isFinite(deadline);
      if (error instanceof UnskewError && isFinal) throw error;
      const before = fault;
      fault = error instanceof UnskewError ? error.message : undefined;
      if (fault !== before) {
        onFault(fault);
      }
      // A wrong password is a mistake too: repeated attempts may lock the user out.
      if (isRefused(error) && isFinal) throw brokerError(failure, error);
    }
    await sleep(Math.max(0, Math.min(waitMs, deadline - Date.now())), undefined, { signal });
  }
}

function isRefused(error: unknown): boolean {
  return causesOf(error).some(({ name }) => name === 'KafkaJSSASLAuthenticationError');
}

async function withinTime<T>(ms: number, work: Promise<T>, late: unknown): Promise<T> {
  if (!Number.isFinite(ms)) return work;
  const cancel = new AbortController();
  const timer = sleep(ms, undefined, { signal: cancel.signal }).then(() => Promise.reject(late));
  try {
    return await Promise.race([work, timer]);
  } finally {
    cancel.abort();
    // Nobody waits for the slower of the two promises.
    work.catch(() => {});
    timer.catch(() => {});
  }
}

/** Number of stuck sessions in a row (`StuckClient`) after which reading fails. */
const MOST_STUCK = 3;
const STUCK = 'cannot fetch from Kafka, although it answers; a restart may help';

/**
 * Reads the two topics as a member of a consumer group. The same process reads partition p of both
 * topics. If the broker becomes unavailable, the source retries until the broker is back, and
 * continues at the same position.
 */
export class KafkaSource implements LogSource {
  readonly #kafka: Kafka;
  readonly #stopping = new AbortController();
  readonly #held = new Set<number>();
  #session: GroupSession | undefined;
  #supervision: Promise<void> = Promise.resolve();

  constructor(private readonly options: KafkaOptions) {
    this.#kafka = kafkaClient(options);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    registerCodecs(this.options.maxUnpackedBytes);
    const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = this.options;
    const { signal } = this.#stopping;
    try {
      const session = await this.#firstSession(handlers, Date.now() + connectTimeoutMs);
      if (session) {
        this.#supervision = this.#supervise(session, handlers);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Join the group, with retries of temporary failures; undefined if stopped. */
  async #firstSession(
    handlers: SourceHandlers,
    deadline: number,
  ): Promise<GroupSession | undefined> {
    const { signal } = this.#stopping;
    for (let waitMs = FIRST_BACKOFF_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS)) {
      await reachBroker(this.options, deadline, signal);
      if (signal.aborted) return undefined;
      const session = this.#open(handlers);
      const isJoined = await Promise.race([
        session.joined.then(() => true),
        session.ended.then(() => false),
      ]);
      if (isJoined) return session;
      const reason = await session.ended;
      if (reason === undefined) return undefined;
      if (told(reason) || !mayPass(reason) || Date.now() + waitMs > deadline) {
        throw told(reason) ?? brokerError(`cannot read from Kafka at ${this.#address}`, reason);
      }
      await sleep(waitMs, undefined, { signal });
    }
  }

  rejoin(why: string): void {
    this.#session?.rejoin(why);
  }

  async ends(): Promise<readonly LogEnd[]> {
    return this.#session?.ends() ?? [];
  }

  commit(partition: number, next: NextOffsets): void {
    this.#session?.commit(partition, next);
  }

  committed(): Promise<readonly number[]> {
    return committedPartitions(this.options);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.stop();
    await this.#supervision;
  }

  get #address(): string {
    return this.options.brokers.join(', ');
  }

  #open(handlers: SourceHandlers): GroupSession {
    this.#session = new GroupSession(this.#kafka, this.options, handlers, this.#held);
    this.#session.start();
    return this.#session;
  }

  /** Open a new session each time one ends, until stopped or until an error is permanent. */
  async #supervise(first: GroupSession, handlers: SourceHandlers): Promise<void> {
    const { signal } = this.#stopping;
    let session = first;
    let backoffMs = FIRST_BACKOFF_MS;
    let hasJoined = true;
    let stuck = 0;
    while (true) {
      const reason = await session.ended;
      if (signal.aborted || reason === undefined) return;
      stuck = reason instanceof StuckClient ? (session.hasFetched ? 1 : stuck + 1) : 0;
      const final = stuck >= MOST_STUCK ? brokerError(STUCK, reason) : told(reason);
      try {
        handlers.state('disconnected');
        if (final) {
          fail(handlers, final);
          return;
        }
        const isAway = !(reason instanceof JoinAgain);
        const what = isAway
          ? 'Kafka does not answer; retrying'
          : 'joining the consumer group again';
        this.options.log?.('warn', what, { reason: `${reason}` });
        backoffMs = hasJoined ? FIRST_BACKOFF_MS : Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
        await sleep(backoffMs, undefined, { signal });
        await reachBroker(this.options, Number.POSITIVE_INFINITY, signal, (why) =>
          handlers.state('disconnected', why),
        );
        if (isAway) {
          this.options.log?.('info', 'Kafka is back', { brokers: this.#address });
        }
      } catch (error) {
        if (!signal.aborted) {
          fail(handlers, error as Error);
        }
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
}

/** Find the permanent error among the causes of a session's end; undefined if a retry may help. */
function told(reason: unknown): Error | undefined {
  for (const error of causesOf(reason)) {
    if (error instanceof HandlerFailure) return error.cause as Error;
    if (error instanceof UnreadableRecords) return error;
  }
  return undefined;
}

function fail(handlers: SourceHandlers, error: Error): void {
  if (handlers.failed) {
    handlers.failed(error);
  } else {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Partitions with a committed offset of the group in either topic. Kafka deletes the offsets of a
 * group without members after `offsets.retention.minutes`.
 *
 * @throws UnskewError BROKER if Kafka does not answer
 */
async function committedPartitions(options: KafkaOptions): Promise<readonly number[]> {
  const { brokers, groupId, topics } = options;
  try {
    const found = await withAdmin(kafkaClient(options), async (admin) => {
      // The client finds no coordinator before it has loaded the cluster's metadata.
      await admin.describeCluster();
      return admin.fetchOffsets({
        groupId,
        topics: [topics.exposures, topics.interactions],
      });
    });
    const committed = found
      .flatMap(({ partitions }) => partitions)
      .filter(({ offset }) => Number(offset) >= 0);
    return [...new Set(committed.map(({ partition }) => partition))];
  } catch (error) {
    const asked = `cannot ask Kafka at ${brokers.join(', ')}`;
    throw brokerError(`${asked} which offsets the group ${groupId} has committed`, error);
  }
}
