import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chaosSeeds } from '../support/chaos-seeds.js';
import { differences } from '../support/compare.js';
import { type Event, feed } from '../support/log.js';
import { drawnSchedule, type ModelSchedule, pasted } from '../support/model/schedule.js';
import { ModelWorld, OPTIONS, PARTITIONS } from '../support/model/world.js';
import { paneSeries } from '../support/pane-series.js';
import { repetitions } from '../support/repetitions.js';

/** One that failed is played alone by `npm run test:chaos -- --schedule random --memory --seed N`. */
const SEEDS = chaosSeeds(repetitions(1, 200));

beforeEach(() => {
  const toFake = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  vi.useFakeTimers({ toFake: [...toFake, 'Date', 'performance'], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Every record is accounted for as what it is, and every pane is that of an undisturbed worker. */
async function holds(schedule: ModelSchedule): Promise<void> {
  const world = new ModelWorld(schedule);
  try {
    const { log, given } = world;
    const tickMs = OPTIONS.tickMs;
    const newest = () => Math.max(...log.events.map(({ ts }) => ts as number));
    let last = Number.NaN;
    const found = { accounts: {} as Record<string, number> };
    const isDone = () => {
      last = Number.isNaN(last) ? (Math.floor(newest() / tickMs) + 1) * tickMs : last;
      void world.accounts().then((accounts) => {
        found.accounts = accounts;
      });
      const written = Object.values(log.accounts).reduce((sum, n) => sum + n, 0);
      const kept = Object.values(found.accounts).reduce((sum, n) => sum + n, 0);
      return kept >= written && given.some(({ snapshot }) => snapshot.paneEnd >= last);
    };
    const isSettled = await world.play(isDone);
    expect(world.failures).toEqual([]);
    const recordTsOf = ({ id }: Event) => log.writtenAt.get(id!)!;
    const how = { partitions: PARTITIONS, batchSize: 1000, run: 1, recordTsOf };
    const wanted = feed(log.events, OPTIONS, how).snapshots;
    const snapshots = given.map(({ snapshot }) => snapshot);
    expect(found.accounts).toEqual(log.accounts);
    expect(differences(paneSeries(snapshots), wanted, 1e-9)).toEqual([]);
    expect(isSettled).toBe(true);
    for (const { snapshot, at } of given) {
      expect(at).toBeGreaterThanOrEqual(snapshot.paneEnd + OPTIONS.latenessMs);
    }
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\nschedule:\n${pasted(schedule)}`, { cause });
  } finally {
    world.end();
  }
}

/** A failed save is told apart from one that was made: most drawn ones fail before it comes to that. */
const FULL: ModelSchedule = {
  seed: 1,
  everyMs: 500,
  trafficMs: 9_000,
  steps: [
    { at: 2_000, what: 'store', fault: 'is-full', forMs: 5_000 },
    { at: 6_000, what: 'kill', who: 0 },
    { at: 6_500, what: 'kill', who: 1 },
  ],
};

describe('a group under random failures', () => {
  it('gives the panes of one undisturbed worker if its store was full as workers died', async () => {
    await holds(FULL);
  });

  it.each(SEEDS)('gives the panes of one undisturbed worker: schedule %i', async (seed) => {
    await holds(drawnSchedule(seed));
  });
});
