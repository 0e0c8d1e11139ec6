import { Redis, type RedisOptions } from 'ioredis';
import { UnskewError } from '../../errors.js';
import type { NightLease } from '../../export/night-ports.js';

export interface RedisLeaseOptions extends RedisConnectionOptions {
  /** Prefix that separates the lease of one consumer group from those of others. */
  readonly namespace: string;
  readonly ttlMs: number;
}

/**
 * Script that takes the lease. Keys: lease, epoch. Argument: time to live, ms. Returns the new
 * epoch, or 0 if another worker has the lease.
 */
const TAKE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local epoch = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], epoch, 'PX', ARGV[1])
return epoch
`;

const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** Lease for the nightly run that workers share through Redis; it expires if its holder stops. */
export class RedisNightLease implements NightLease {
  readonly #redis: Redis;
  readonly #lease: string;
  readonly #epoch: string;
  readonly #ttlMs: number;
  readonly #where: string;

  constructor({ namespace, ttlMs, ...connection }: RedisLeaseOptions) {
    this.#lease = `unskew:{${namespace}/export}:lease`;
    this.#epoch = `unskew:{${namespace}/export}:epoch`;
    this.#ttlMs = ttlMs;
    this.#where = redisPlace(connection.url);
    this.#redis = redisConnection(connection);
  }

  async take(): Promise<number | undefined> {
    const epoch = await this.#told(() =>
      this.#redis.eval(TAKE, 2, this.#lease, this.#epoch, this.#ttlMs),
    );
    return epoch === 0 ? undefined : Number(epoch);
  }

  async renew(epoch: number): Promise<boolean> {
    const kept = await this.#told(() =>
      this.#redis.eval(RENEW, 1, this.#lease, epoch, this.#ttlMs),
    );
    return kept === 1;
  }

  async release(epoch: number): Promise<void> {
    await this.#told(() => this.#redis.eval(RELEASE, 1, this.#lease, epoch));
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #told<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
      throw new UnskewError('BROKER', `${this.#where}: ${why}`, { cause });
    }
  }
}

/** Address of a server, and its name in errors, without passwords. */
export interface RedisAddress {
  readonly options: Omit<RedisOptions, 'replyMapping'>;
  readonly place: string;
}

const SENTINEL = /^redis(s?)-sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const SENTINEL_PORT = 26_379;
const EXPECTED =
  'expected redis-sentinel://user:password@host:port,host:port/name, and ?db=0&sentinelPassword=… if needed';

/**
 * Parse an address: `redis://` or (with TLS) `rediss://` for one server, `redis-sentinel://` or
 * `rediss-sentinel://` for Sentinels.
 *
 * @throws UnskewError USAGE
 */
export function redisAddress(url: string): RedisAddress {
  const found = SENTINEL.exec(url);
  if (found !== null) return sentinelAddress(found);
  if (/^rediss?-sentinel:/.test(url)) throw new UnskewError('USAGE', `Redis: ${EXPECTED}`);
  return {
    options: serverOptions(new URL(url)),
    place: `Redis at ${new URL(url).host}`,
  };
}

function serverOptions({ protocol, username, password, hostname, port, pathname }: URL) {
  return {
    host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port || 6379),
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(pathname.length > 1 && { db: Number(pathname.slice(1)) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

function sentinelAddress([, tls, login = '', hosts, name, query]: RegExpExecArray): RedisAddress {
  const [user = '', ...password] = login.split(':').map(decodeURIComponent);
  const asked = new URLSearchParams(query);
  for (const key of asked.keys()) {
    if (!['db', 'sentinelUsername', 'sentinelPassword'].includes(key)) {
      throw new UnskewError('USAGE', `Redis: unknown parameter ?${key}=; ${EXPECTED}`);
    }
  }
  const own = (key: 'sentinelUsername' | 'sentinelPassword') => {
    const value = asked.get(key);
    return value === null ? {} : { [key]: value };
  };
  return {
    options: {
      sentinels: hosts!.split(',').map(hostAndPort),
      name: decodeURIComponent(name!),
      ...credentials(user, password.join(':')),
      ...own('sentinelUsername'),
      ...own('sentinelPassword'),
      ...(asked.has('db') && { db: Number(asked.get('db')) }),
      ...(tls === 's' && {
        tls: {},
        sentinelTLS: {},
        enableTLSForSentinelMode: true,
      }),
      // The client leaves a leader that does not respond as soon as the Sentinels replace it.
      failoverDetector: true,
    },
    place: `Redis ${name} of the Sentinels at ${hosts}`,
  };
}

function hostAndPort(text: string): {
  host: string;
  port: number;
} {
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text) ?? [];
  if (host === undefined) throw new UnskewError('USAGE', `Redis: ${EXPECTED}`);
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? SENTINEL_PORT),
  };
}

function credentials(username: string, password: string) {
  return {
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  };
}

const LONGEST_BACKOFF_MS = 2_000;
const COMMAND_TIMEOUT_MS = 5_000;

/** Address of Redis, and timeouts. */
export interface RedisConnectionOptions {
  /** URL of one server or of its Sentinels, with user and password if needed. */
  readonly url: string;
  /** Timeout of a command, ms, after which the server counts as unavailable; 5 s by default. */
  readonly commandTimeoutMs?: number;
}

/** Create a client that connects at its first command. A command that fails is not retried. */
export function redisConnection(options: RedisConnectionOptions): Redis {
  const { url, commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const redis = new Redis({
    ...redisAddress(url).options,
    lazyConnect: true,
    connectTimeout: commandTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // A command fails if the server is unavailable; the caller retries and reports it.
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_BACKOFF_MS),
    // The leader has become a replica: connect again, to the new leader.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  });
  // Without a listener the client prints to the console.
  redis.on('error', () => {});
  return redis;
}

/** Describe the server in a URL for messages, without its password. */
export function redisPlace(url: string): string {
  return redisAddress(url).place;
}

/** Options of a store for one consumer group. */
export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Prefix that separates the keys of one consumer group from those of others. */
  readonly namespace: string;
}

/**
 * Connection of a store to Redis. While the server is unavailable, commands fail with a one-line
 * error instead of waiting.
 */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #namespace: string;
  readonly #where: string;

  constructor({ namespace, ...connection }: RedisStoreOptions) {
    this.#namespace = namespace;
    this.#where = redisPlace(connection.url);
    this.#redis = redisConnection(connection);
  }

  /**
   * Build the key of a name for one partition, or for the group's marks. The text in braces is a
   * hash tag, which puts all keys of a partition into one slot.
   */
  key(of: number | 'marks', name: string): string {
    return `unskew:{${this.#namespace}/${of}}:${name}`;
  }

  /**
   * Call the client.
   *
   * @throws UnskewError USAGE if the server is a Redis Cluster; STATE in one line for other errors
   */
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

/** View bytes as a Buffer, the client's type, without a copy. */
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
  if (
    /max retries|Connection is closed|ECONNREFUSED|All sentinels are unreachable/i.test(message)
  ) {
    return 'no connection';
  }
  if (/timed out/i.test(message)) return 'no answer';
  return message.split('\n', 1)[0] ?? message;
}
