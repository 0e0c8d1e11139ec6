import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisNightLease } from '../../src/adapters/redis/connection.js';
import { redisUrl } from '../support/shared/redis.js';
import { nightLeaseContract } from './night-lease.js';

const open: RedisNightLease[] = [];
afterEach(async () => {
  for (const lease of open.splice(0)) await lease.close();
});

nightLeaseContract('in Redis', {
  leases: async (count, ttlMs) => {
    const namespace = randomUUID();
    const leases = Array.from(
      { length: count },
      () => new RedisNightLease({ url: redisUrl, namespace, ttlMs }),
    );
    open.push(...leases);
    return leases;
  },
});

describe('a lease in Redis', () => {
  it('names the server in the error if it is away', async () => {
    const lease = new RedisNightLease({
      url: 'redis://127.0.0.1:1',
      namespace: 'x',
      ttlMs: 1000,
      commandTimeoutMs: 500,
    });
    open.push(lease);
    await expect(lease.take()).rejects.toThrow(/^Redis at 127\.0\.0\.1:1: /);
  });
});
