import type { Redis } from 'ioredis';
import { UnskewError } from '../../errors.js';
import type { NightLease } from '../../export/night-ports.js';
import { type RedisConnectionOptions, redisConnection, redisPlace } from './connection.js';

export interface RedisLeaseOptions extends RedisConnectionOptions {
  /** Tells the lease of one consumer group from those of others. */
  readonly namespace: string;
  readonly ttlMs: number;
}

/** Keys: lease, epoch. Argument: ttl. Answers the new epoch, or 0 where the lease is held. */
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

/** A lease that workers share by way of Redis, which also ends it when its holder is gone. */
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
