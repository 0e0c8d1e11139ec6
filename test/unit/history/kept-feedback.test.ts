import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY, Subject } from 'rxjs';
import { afterAll, expect, it } from 'vitest';
import { KeptTicks } from '../../../src/commands/service/kept-ticks.js';
import { monitorOptions } from '../../../src/commands/service/monitor-options.js';
import { readConfig } from '../../../src/config.js';
import { SHOWN_LISTS } from '../../../src/estimators/names.js';
import { shortened } from '../../../src/outputs/history/history.js';
import { reasonOf } from '../../../src/rows/reading.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { type Event, feed } from '../../support/log.js';
import { quietIo } from '../../support/quiet-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-kept-feedback-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MINUTE = 60_000;
const QUALITY = { ready: true, checks: [], topics: [] };

/** Ticks of traffic of which lists caused half: all estimates are withheld. */
function withheldTicks() {
  const { config } = readConfig({
    env: {},
    overrides: {
      'time.tick': '20m',
      'time.windows': ['1h'],
      'time.lateness': '1m',
      baseline: 'none',
      'estimates.metrics': 'recall',
      'estimates.estimators': 'naive,snips',
      'drift.detectors': [],
    },
  });
  const world = { users: 100, items: 60, relevantPerUser: 20, arms: 2, causedShare: 0.5, seed: 5 };
  const simulation = new Simulation({ ...world, durationMs: 120 * MINUTE });
  const how = { partitions: 2, batchSize: 1000, run: 1 };
  return feed([...simulation.events()] as Event[], monitorOptions(config), how).snapshots;
}

/** The history of a service with that folder, and how it ends. */
async function started() {
  const { config } = readConfig({ env: {}, overrides: { 'history.dir': folder } });
  const ends: (() => Promise<unknown>)[] = [];
  const kept = new KeptTicks(config, quietIo.log);
  await kept.open({ opened: ({ end }: { end: () => Promise<void> }) => ends.push(end) } as never);
  return { kept, end: () => Promise.all(ends.map((own) => own())) };
}

it('a folder restores organic estimates, reward per request and the gap after a restart', async () => {
  const snapshots = withheldTicks();
  const before = await started();
  const snapshots$ = new Subject<Snapshot>();
  before.kept.follow(
    { ticks$: EMPTY, kept$: EMPTY, assigned$: EMPTY } as never,
    { snapshots$ } as never,
    () => QUALITY,
  );
  for (const snapshot of snapshots) snapshots$.next(snapshot);
  await before.end();
  const after = await started();
  await after.end();
  const { history } = after.kept;

  const { times, series } = history.select('estimates', { labels: { window: '1h' } });
  expect(times).toEqual(snapshots.map(({ paneEnd }) => paneEnd));
  const kept = (labels: Readonly<Record<string, unknown>>, of: string, t: number) => {
    const isIt = (row: (typeof series)[number]) =>
      Object.entries(labels).every(([label, own]) => row.labels[label] === own);
    return series.find(isIt)?.values[of]?.[t] ?? null;
  };
  let uncaused = 0;
  let worths = 0;
  for (const [t, { windows }] of snapshots.entries()) {
    const [{ feedback, onPolicy, results }] = windows;
    for (const row of results) {
      const { model, metric, k, estimator, form: aggregation } = row;
      expect(reasonOf(row)).toBe('caused_by_lists');
      expect(kept({ model, metric, k, estimator, aggregation }, 'value', t)).toBeNull();
    }
    for (const { value, lower, upper, ...row } of feedback!.uncaused!.results) {
      const { model, metric, k, estimator, form: aggregation } = row;
      const of = { model, metric, k, estimator, aggregation };
      expect(kept(of, 'uncaused', t)).toBe(shortened(Math.fround(value)));
      expect(kept(of, 'uncausedLower', t)).toBe(shortened(Math.fround(lower)));
      expect(kept(of, 'uncausedUpper', t)).toBe(shortened(Math.fround(upper)));
      uncaused++;
    }
    for (const { model, value, lower, upper } of onPolicy!.values) {
      const of = { model, ...SHOWN_LISTS };
      expect(kept(of, 'value', t)).toBe(shortened(Math.fround(value)));
      expect(kept(of, 'lower', t)).toBe(shortened(Math.fround(lower)));
      expect(kept(of, 'upper', t)).toBe(shortened(Math.fround(upper)));
      worths++;
    }
  }
  // Three models, two cut-offs, two estimators, two means; two models that were served.
  expect(uncaused).toBe(snapshots.length * 3 * 2 * 2 * 2);
  expect(worths).toBe(snapshots.length * 2);
});
