import type { NightLease } from '../../export/night-ports.js';

/** State that several leases in one process share. `until` is the end of the lease, ms. */
export interface LeaseCell {
  epoch: number;
  holder: number | undefined;
  until: number;
}

/** Lease for the nightly run in memory, for a deployment with one process. */
export class MemoryNightLease implements NightLease {
  constructor(
    private readonly ttlMs: number,
    private readonly now: () => number,
    private readonly cell: LeaseCell = {
      epoch: 0,
      holder: undefined,
      until: 0,
    },
  ) {}

  async take(): Promise<number | undefined> {
    const cell = this.cell;
    if (cell.holder !== undefined && this.now() < cell.until) return undefined;
    cell.holder = ++cell.epoch;
    cell.until = this.now() + this.ttlMs;
    return cell.holder;
  }

  async renew(epoch: number): Promise<boolean> {
    const cell = this.cell;
    if (cell.holder !== epoch || this.now() >= cell.until) return false;
    cell.until = this.now() + this.ttlMs;
    return true;
  }

  async release(epoch: number): Promise<void> {
    if (this.cell.holder === epoch) {
      this.cell.holder = undefined;
    }
  }

  async close(): Promise<void> {}
}
