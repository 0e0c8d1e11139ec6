import { describe, expect, it, onTestFinished } from 'vitest';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions, threeModels } from '../support/log.js';
import { PanesGroup } from '../support/panes-group.js';
import { repetitions } from '../support/repetitions.js';

const PARTITIONS = 3;
const QUICK = quickOptions();
/** Absolute propensities by reach ask whom lists reached, which the side that reads knows. */
const SCALED = quickOptions({
  attributionTtlMs: 60,
  estimates: { ...QUICK.estimates, estimators: ['snips', 'ips'] },
});

/** Snapshots of a process that does all, which ends in the middle and goes on from what it kept. */
async function restarted(events: readonly Event[], options: MonitorOptions): Promise<Snapshot[]> {
  const group = new PanesGroup(PARTITIONS, options);
  onTestFinished(() => group.stop());
  const half = Math.floor(events.length / 2);
  for (const part of [events.slice(0, half), events]) {
    const service = await group.addReader('g', true);
    await group.produce(part === events ? events.slice(half) : part);
    const last = Math.max(...part.map(({ ts }) => Number(ts)));
    const waited = options.latenessMs + 2 * options.tickMs;
    while (!group.alone.some(({ paneEnd }) => paneEnd >= last - waited)) {
      if (group.failures.length > 0) throw group.failures[0];
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await service.stop();
  }
  // The newest pane of the first is ticked once more.
  expect(new Set(group.alone.map(({ paneEnd }) => paneEnd)).size).toBeLessThan(group.alone.length);
  return group.alone;
}

describe('a process that ticks in a separate thread', () => {
  it.each([
    ['all users', SCALED],
    ['a sample of users', { ...SCALED, limits: { rows: 18, listEntries: 1000, users: 1000 } }],
  ] as const)(
    'gives the undisturbed estimates across a restart, also by exposure, for %s',
    async (_, options) => {
      const events = threeModels(repetitions(120, 400));
      const how = { partitions: PARTITIONS, batchSize: 1000, run: 1 };
      const wanted = new Map(
        feed(events, options, how).snapshots.map((each) => [each.paneEnd, each]),
      );
      const found = await restarted(events, options);
      let reached = 0;
      for (const snapshot of found) {
        expect(
          differences(snapshot, wanted.get(snapshot.paneEnd), 0).slice(0, 5),
          `at ${snapshot.paneEnd}`,
        ).toEqual([]);
        const rows = snapshot.windows.flatMap(({ results }) => results);
        reached += rows.filter(
          ({ estimator, value }) => estimator === 'ips' && Number.isFinite(value),
        ).length;
      }
      expect(found.length).toBeGreaterThan(10);
      const ratio = Math.min(...found.map(({ sampling }) => sampling.ratio));
      expect(ratio < 1).toBe('limits' in options);
      expect(reached).toBeGreaterThan(0);
    },
    60_000,
  );
});
