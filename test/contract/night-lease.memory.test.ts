import { type LeaseCell, MemoryNightLease } from '../../src/adapters/memory/night-lease.js';
import { nightLeaseContract } from './night-lease.js';

nightLeaseContract('in memory', {
  leases: async (count, ttlMs) => {
    const cell: LeaseCell = { epoch: 0, holder: undefined, until: 0 };
    return Array.from({ length: count }, () => new MemoryNightLease(ttlMs, Date.now, cell));
  },
});
