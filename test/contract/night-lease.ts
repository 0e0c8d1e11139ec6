import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NightLease } from '../../src/export/night-ports.js';

export interface NightLeaseHarness {
  /** This many holders of one lease that nobody has had. */
  leases(count: number, ttlMs: number): Promise<NightLease[]>;
}

/** What every lease does. */
export function nightLeaseContract(name: string, harness: NightLeaseHarness): void {
  const held = async (ttlMs = 60_000) => {
    const [a, b] = await harness.leases(2, ttlMs);
    const epoch = (await a.take())!;
    return { a, b, epoch };
  };

  describe(`a lease ${name}`, () => {
    it('has one holder at a time', async () => {
      const { a, b, epoch } = await held();
      expect(epoch).toBeGreaterThan(0);
      expect(await b.take()).toBeUndefined();
      expect(await a.take()).toBeUndefined();
    });

    it('goes to one of many that ask at the same time', async () => {
      const all = await harness.leases(8, 60_000);
      const taken = await Promise.all(all.map((lease) => lease.take()));
      expect(taken.filter((epoch) => epoch !== undefined)).toHaveLength(1);
    });

    it('goes to the next holder with a higher epoch when it is released', async () => {
      const { a, b, epoch } = await held();
      await a.release(epoch);
      expect(await b.take()).toBeGreaterThan(epoch);
      expect(await a.renew(epoch)).toBe(false);
    });

    it('is not released by a former holder', async () => {
      const { a, b, epoch } = await held();
      await a.release(epoch);
      const next = (await b.take())!;
      await a.release(epoch);
      expect(await b.renew(next)).toBe(true);
    });

    it('expires unless it is renewed', async () => {
      const { a, b, epoch } = await held(300);
      for (let turn = 0; turn < 4; turn++) {
        await sleep(120);
        expect(await a.renew(epoch)).toBe(true);
      }
      expect(await b.take()).toBeUndefined();
      await sleep(400);
      expect(await b.take()).toBeGreaterThan(epoch);
      expect(await a.renew(epoch)).toBe(false);
    });
  });
}
