import { Redis } from 'ioredis';
import { UnskewError } from '../../errors.js';
import { redisAddress } from './address.js';

const LONGEST_BACKOFF_MS = 2_000;
const COMMAND_TIMEOUT_MS = 5_000;

/** Where Redis is, and how long it may take. */
export interface RedisConnectionOptions {
  /** With user and password where they are needed; of one server, or of its Sentinels. */
  readonly url: string;
  /** How long a command may take before the server is held to be away (5 s). */
  readonly commandTimeoutMs?: number;
}

/** A client that connects with its first command, and of which each command's own failure tells. */
export function redisConnection(options: RedisConnectionOptions): Redis {
  const { url, commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const redis = new Redis({
    ...redisAddress(url).options,
    lazyConnect: true,
    connectTimeout: commandTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // A command fails when the server is away; the caller tries again, and reports it.
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_BACKOFF_MS),
    // A leader that has become a replica: its address may lead to another by now.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
  // Without a listener the client prints to the console.
  redis.on('error', () => {});
  return redis;
}

/** Names the server without its password. */
export function redisPlace(url: string): string {
  return redisAddress(url).place;
}

/** Where what is kept of one consumer group is found. */
export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Tells what is kept of one consumer group from that of others. */
  readonly namespace: string;
}

/** A connection that fails at once while the server is away, with one clear line. */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #namespace: string;
  readonly #where: string;

  constructor({ namespace, ...connection }: RedisStoreOptions) {
    this.#namespace = namespace;
    this.#where = redisPlace(connection.url);
    this.#redis = redisConnection(connection);
  }

  /** Of a cluster one slot holds all keys of a partition, of the group's marks, or of its rounds. */
  key(of: number | 'marks' | 'rounds', name: string): string {
    return `unskew:{${this.#namespace}/${of}}:${name}`;
  }

  /** @throws UnskewError STATE in one line, whatever the client makes of it */
  async told<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    try {
      return await call(this.#redis);
    } catch (cause) {
      if (cause instanceof UnskewError) throw cause;
      if (isCluster(cause)) throw new UnskewError('USAGE', `${this.#where}: ${NO_CLUSTER}`);
      throw new UnskewError('STATE', `${this.#where}: ${reasonOf(cause)}`, { cause });
    }
  }

  close(): void {
    this.#redis.disconnect();
  }
}

/** The same bytes as the client's type, not a copy. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const NO_CLUSTER =
  'is a Redis Cluster, which is not supported: name one server, or its Sentinels (redis-sentinel://…)';

function isCluster(cause: unknown): boolean {
  return cause instanceof Error && /^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT)\b/.test(cause.message);
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/max retries|Connection is closed|ECONNREFUSED|All sentinels are unreachable/i.test(message))
    return 'no connection';
  if (/timed out/i.test(message)) return 'no answer';
  return message.split('\n', 1)[0] ?? message;
}
