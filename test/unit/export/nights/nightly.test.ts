import { afterEach, describe, expect, it } from 'vitest';
import { CronSchedule } from '../../../../src/adapters/cron-schedule.js';
import { type LeaseCell, MemoryNightLease } from '../../../../src/adapters/memory/night-lease.js';
import type { MakeNight, NightOrder } from '../../../../src/export/night-ports.js';
import { Nightly, type NightlyOptions } from '../../../../src/export/nightly.js';
import { NamedSets, settled, TestClock, Told } from '../../../support/nights.js';

const HOUR = 3_600_000;
const open: Nightly[] = [];
afterEach(async () => {
  for (const nightly of open.splice(0)) await nightly.stop();
});

interface Night {
  clock: TestClock;
  storage?: NamedSets;
  cell?: LeaseCell;
  schedule?: CronSchedule;
  /** How long a run takes, ms; errors that the first attempts end with. */
  lasts?: number;
  failures?: string[];
  more?: Partial<NightlyOptions>;
}

/** A worker with its own storage unless one is shared; it starts at the clock's time. */
function worker(night: Night) {
  const { clock, lasts = 600_000, failures = [], more } = night;
  const storage = night.storage ?? new NamedSets();
  const cell = night.cell ?? { epoch: 0, holder: undefined, until: 0 };
  const told = new Told();
  const orders: NightOrder[] = [];
  const make: MakeNight = async (order, { signal, onProgress, mayCommit }) => {
    orders.push(order);
    onProgress({ step: 'drawing', done: 1, total: 2 });
    const failure = failures.shift();
    await clock.wait(lasts, signal);
    if (signal.aborted) throw new Error('aborted');
    if (failure !== undefined) throw new Error(failure);
    await mayCommit();
    storage.names.add(order.name);
    return { rows: 7 };
  };
  const nightly = new Nightly({
    schedule: night.schedule ?? new CronSchedule('0 3 * * *', 'UTC'),
    clock,
    lease: new MemoryNightLease(60_000, () => clock.now(), cell),
    storage,
    make,
    observer: told,
    rangeMs: 24 * HOUR,
    settleMs: HOUR,
    retries: 2,
    retryDelayMs: 300_000,
    catchUp: 7,
    retain: 30,
    leaseTtlMs: 60_000,
    ...more,
  });
  open.push(nightly);
  nightly.start();
  return { nightly, storage, told, orders };
}

describe('a nightly export', () => {
  it('runs when it is due, over the range that ended before', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const { nightly, storage, orders, told } = worker({ clock });
    await clock.until('2026-01-02T02:59:59Z');
    expect(orders).toEqual([]);
    expect(nightly.status()).toMatchObject({ running: null, lastMade: null, overdue: null });
    await clock.until('2026-01-02T03:05:00Z');
    expect(nightly.status().running).toMatchObject({ step: 'drawing', done: 1, attempt: 1 });
    await clock.until('2026-01-02T04:00:00Z');
    expect(orders).toEqual([
      {
        name: '2026-01-02T03-00-00Z',
        from: Date.parse('2026-01-01T02:00:00Z'),
        to: Date.parse('2026-01-02T02:00:00Z'),
      },
    ]);
    expect(await storage.list()).toEqual(['2026-01-02T03-00-00Z']);
    expect(told.lines).toEqual(['made 2026-01-02T03-00-00Z']);
    expect(nightly.status()).toMatchObject({
      running: null,
      overdue: null,
      lastMade: Date.parse('2026-01-02T03:00:00Z'),
      next: Date.parse('2026-01-03T03:00:00Z'),
    });
  });

  it('follows the clocks of its time zone, also on the day they change', async () => {
    const clock = new TestClock('2026-03-28T12:00:00Z');
    const schedule = new CronSchedule('30 4 * * *', 'Europe/Berlin');
    const { storage } = worker({ clock, schedule });
    await clock.until('2026-03-30T12:00:00Z');
    // 04:30 is 03:30 UTC in winter; on the 29th the clocks go forward at 01:00 UTC.
    expect(await storage.list()).toEqual(['2026-03-29T02-30-00Z', '2026-03-30T02-30-00Z']);
  });

  it('that was missed runs later, oldest first, up to the configured number', async () => {
    const clock = new TestClock('2026-01-09T12:00:00Z');
    const storage = new NamedSets();
    storage.names.add('2026-01-02T03-00-00Z').add('2026-01-07T03-00-00Z');
    const { orders } = worker({ clock, storage, more: { catchUp: 3 } });
    await clock.until('2026-01-09T20:00:00Z');
    // The 3rd to the 6th, the 8th and the 9th are missing: the last three of them are made.
    expect(orders.map(({ name }) => name)).toEqual([
      '2026-01-06T03-00-00Z',
      '2026-01-08T03-00-00Z',
      '2026-01-09T03-00-00Z',
    ]);
  });

  it('that was due before the first start is not missed', async () => {
    const clock = new TestClock('2026-01-09T12:00:00Z');
    const { orders } = worker({ clock });
    await clock.until('2026-01-09T20:00:00Z');
    expect(orders).toEqual([]);
  });

  it('that fails is retried, then reported as failed', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const failures = ['no space', 'no space', 'no space'];
    const { nightly, told, storage } = worker({ clock, failures });
    await clock.until('2026-01-02T12:00:00Z');
    expect(told.lines).toEqual([
      'attempt 1 of 2026-01-02T03-00-00Z: no space',
      'attempt 2 of 2026-01-02T03-00-00Z: no space',
      'attempt 3 of 2026-01-02T03-00-00Z: no space',
      'failed 2026-01-02T03-00-00Z',
    ]);
    expect(nightly.status()).toMatchObject({
      overdue: Date.parse('2026-01-02T03:00:00Z'),
      lastError: 'no space',
    });
    await clock.until('2026-01-03T12:00:00Z');
    expect(await storage.list()).toEqual(['2026-01-02T03-00-00Z', '2026-01-03T03-00-00Z']);
    expect(nightly.status()).toMatchObject({ overdue: null, lastError: null });
  });

  it('that succeeds at the second attempt is reported as made once', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const { told } = worker({ clock, failures: ['broker away'] });
    await clock.until('2026-01-02T12:00:00Z');
    expect(told.lines).toEqual([
      'attempt 1 of 2026-01-02T03-00-00Z: broker away',
      'made 2026-01-02T03-00-00Z',
    ]);
  });

  it('keeps the configured number of nights and deletes no other set', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const storage = new NamedSets();
    storage.names.add('by-hand');
    worker({ clock, storage, more: { retain: 2 } });
    await clock.until('2026-01-05T12:00:00Z');
    expect(await storage.list()).toEqual([
      '2026-01-04T03-00-00Z',
      '2026-01-05T03-00-00Z',
      'by-hand',
    ]);
  });

  it('that a stop interrupts leaves no set', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const { nightly, storage, told } = worker({ clock });
    await clock.until('2026-01-02T03:01:00Z');
    await nightly.stop();
    expect(await storage.list()).toEqual([]);
    expect(told.lines).toEqual([]);
  });
});

describe('a nightly export with two workers', () => {
  it('runs in one of them', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const shared = { clock, storage: new NamedSets(), cell: freshCell() };
    const a = worker(shared);
    const b = worker(shared);
    await clock.until('2026-01-04T12:00:00Z');
    expect(a.orders.length + b.orders.length).toBe(3);
    expect(await shared.storage.list()).toHaveLength(3);
  });

  it('is taken over if one worker loses its lease during the run', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const shared = { clock, storage: new NamedSets(), cell: freshCell() };
    const a = worker({ ...shared, lasts: 10 * HOUR, more: { leaseTtlMs: 1e12 } });
    await clock.until('2026-01-02T03:00:30Z');
    // The first one has the lease, renews it no more, and is slow: it is as good as gone.
    expect(a.orders).toHaveLength(1);
    shared.storage.names.add('2026-01-01T03-00-00Z');
    const b = worker(shared);
    await clock.until('2026-01-02T04:00:00Z');
    expect(b.told.lines).toEqual(['made 2026-01-02T03-00-00Z']);
    await clock.until('2026-01-02T14:00:00Z');
    // When it wakes up its lease is another's: it may not let its set appear.
    expect(a.told.lines[0]).toContain('another worker took over');
    expect(a.told.lines).not.toContain('made 2026-01-02T03-00-00Z');
  });
});

describe('a manual run', () => {
  const order = { name: 'by-hand', from: 0, to: 1 };

  it('starts at once, and is refused while another is running', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const shared = { clock, storage: new NamedSets(), cell: freshCell() };
    const a = worker(shared);
    const b = worker(shared);
    await settled();
    await a.nightly.startNow(order);
    await expect(a.nightly.startNow({ ...order, name: 'second' })).rejects.toThrow(/already/);
    await expect(b.nightly.startNow({ ...order, name: 'second' })).rejects.toThrow(/already/);
    await clock.until('2026-01-01T13:00:00Z');
    expect(await shared.storage.list()).toEqual(['by-hand']);
    await b.nightly.startNow({ ...order, name: 'second' });
    await clock.until('2026-01-01T14:00:00Z');
    expect(await shared.storage.list()).toEqual(['by-hand', 'second']);
  });
});

function freshCell(): LeaseCell {
  return { epoch: 0, holder: undefined, until: 0 };
}

describe('a storage that cannot be listed', () => {
  it('makes the night overdue, although no set was ever made', async () => {
    const clock = new TestClock('2026-01-01T12:00:00Z');
    const storage = new NamedSets();
    const list = storage.list.bind(storage);
    storage.list = () => Promise.reject(new Error('the storage is away'));
    const { nightly } = worker({ clock, storage });
    await clock.until('2026-01-02T02:59:00Z');
    expect(nightly.status().overdue).toBeNull();
    await clock.until('2026-01-02T05:00:00Z');
    expect(nightly.status().overdue).toBe(Date.parse('2026-01-02T03:00:00Z'));
    storage.list = list;
    await clock.until('2026-01-02T06:00:00Z');
    expect(nightly.status().overdue).toBeNull();
    expect(await list()).toEqual(['2026-01-02T03-00-00Z']);
  });
});
