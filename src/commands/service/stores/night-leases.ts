import { type LeaseCell, MemoryNightLease } from '../../../adapters/memory/night-lease.js';
import { RedisNightLease } from '../../../adapters/redis/night-lease.js';
import type { Config } from '../../../config.js';
import type { NightLease } from '../../../export/nights/night-ports.js';
import { NIGHTLY_CARE } from '../../../export/nights/nightly.js';

/** Gives each kind of night's work the same lease: one of them is done at a time. */
export type NightLeases = () => NightLease;

/** Among the workers of one consumer group; without Redis there is to be but one. */
export function nightLeases({ state: { redisUrl }, kafka }: Config): NightLeases {
  const cell: LeaseCell = { epoch: 0, holder: undefined, until: 0 };
  const { leaseTtlMs: ttlMs } = NIGHTLY_CARE;
  if (redisUrl === undefined) return () => new MemoryNightLease(ttlMs, Date.now, cell);
  return () => new RedisNightLease({ url: redisUrl, namespace: kafka.groupId, ttlMs });
}
