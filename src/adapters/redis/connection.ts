import { Redis } from 'ioredis';

const LONGEST_BACKOFF_MS = 2_000;
const COMMAND_TIMEOUT_MS = 5_000;

/** Where Redis is, and how long it may take. */
export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`, with user and password where they are needed. */
  readonly url: string;
  /** How long a command may take before the server is held to be away (5 s). */
  readonly commandTimeoutMs?: number;
}

/** A client that connects with its first command, and of which each command's own failure tells. */
export function redisConnection(options: RedisConnectionOptions): Redis {
  const { url, commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: commandTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // A command fails when the server is away; whoever asked tries again, and tells of it.
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_BACKOFF_MS),
  });
  // Without a listener the client prints to the console.
  redis.on('error', () => {});
  return redis;
}

/** Names the server without its password. */
export function redisPlace(url: string): string {
  return `Redis at ${new URL(url).host}`;
}
