import { expect, it } from 'vitest';
import { decoderOptions, monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { LearnedState } from '../../src/stream/learned.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { differences } from '../support/compare.js';
import { FROZEN_LOGS } from '../support/frozen/logs.js';
import { IS_LONG } from '../support/repetitions.js';
import { type Log, together } from '../support/several-processes.js';
import { PartitionedLog, TickProcess } from '../support/tick-processes.js';

const HOUR_MS = 3_600_000;

const isOfRatings = (series: string) => series.includes('/mae');

/** Ratings of a window add up by when users came, which the reading of two topics decides. */
function withoutRatings(snapshot: Snapshot) {
  const windows = snapshot.windows.map(({ ratings: _, ...window }) => window);
  const drift = snapshot.drift?.filter(({ series }) => !isOfRatings(series));
  const alarms = snapshot.alarms.filter(({ series }) => !isOfRatings(series));
  return { ...snapshot, windows, drift, alarms };
}

/** Several processes that have partitions each, and take over others' before some of the panes. */
function expectTheSame(log: PartitionedLog, processes: number, seed: number): readonly Snapshot[] {
  const random = new Random(seed, 'processes');
  const { closed, learned: ofOne } = log.alone(1 + random.below(60));
  let learned: LearnedState | undefined;
  const deal = (before: typeof closed) => {
    const owner = Array.from({ length: log.partitions }, () => random.below(processes));
    return Array.from({ length: processes }, (_, w) => {
      const own = owner.flatMap((of, p) => (of === w ? [p] : []));
      return new TickProcess(log, own, before, learned);
    });
  };
  let workers = deal([]);
  for (const [n, { pane, cuts, snapshot }] of closed.entries()) {
    if (n > 0 && random.below(4) === 0) workers = deal(closed.slice(0, n));
    const written: Log = new Map();
    const all = together(workers.map((worker) => worker.close(pane, cuts, written)));
    for (const found of all) expect(found).toEqual(all[0]);
    expect(withoutRatings(all[0]!)).toEqual(withoutRatings(snapshot));
    expect(differences(all[0], snapshot, 1e-12)).toEqual([]);
    learned = workers[0]!.learned;
    for (const worker of workers) expect(worker.learned).toEqual(learned);
  }
  // Sums that go on from tick to tick: what verdicts rest on.
  expect(learned?.decision).toMatch('columns');
  expect(learned?.decision).toBe(ofOne.decision);
  expect(learned?.gamma).toEqual(ofOne.gamma);
  return closed.map(({ snapshot }) => snapshot);
}

const SCHEDULES = [1, 6, 24].flatMap((partitions) =>
  [1, 2, 4, 8].map((processes) => [partitions, processes] as const),
);

it.each(IS_LONG ? SCHEDULES : [[6, 2] as const])(
  'of %i partitions are to the bit what one process makes of them, by %i processes',
  (partitions, processes) => {
    const { events, settings } = FROZEN_LOGS['all']!();
    const asked = {
      ...{
        ...settings,
        'estimates.draws': 2,
        'popularity.userCap': 40,
        'estimates.feedback': 'caution',
      },
      ...{ 'time.windows': '30m,2h', 'drift.window': '30m' },
      ...(!IS_LONG && {
        'estimates.metrics': 'recall,mae',
        'estimates.estimators': 'naive,snips,wtd_h',
      }),
      ...(IS_LONG && { 'time.tick': '10m', 'estimates.interval': 'bootstrap' }),
    };
    const { config } = readConfig({ env: {}, overrides: asked });
    const decoding = { ...decoderOptions(config), maxFutureMs: 1e15 };
    const given = monitorOptions(config);
    const metric = { metric: 'recall' as const, k: 5 };
    const days = { dayMs: 2 * HOUR_MS, lookMs: HOUR_MS };
    const decision = { metric, margin: 0.05, settings: '', ...days };
    const drift = { ...given.drift!, metric };
    const options = { ...given, decision, drift };
    const log = new PartitionedLog(events, partitions, options, decoding);
    const snapshots = expectTheSame(log, processes, partitions + processes);
    // All that ticks say is in them.
    const windows = snapshots.flatMap((snapshot) => snapshot.windows);
    const said = {
      ratings: windows.flatMap(({ ratings }) => ratings?.estimates ?? []),
      values: windows.flatMap(({ values = [] }) => values),
      segments: windows.flatMap((window) => window.segments?.numbers ?? []),
      onPolicy: windows.flatMap(({ onPolicy }) => onPolicy?.values ?? []),
      drawn: windows.flatMap(({ drawn }) => drawn),
      heavy: snapshots.filter((own) => own.heavyUsers !== undefined),
      drift: snapshots.flatMap(({ drift: scores = [] }) =>
        scores.filter((own) => own.score !== null),
      ),
      verdicts: snapshots.flatMap(({ verdicts = [] }) => verdicts),
    };
    for (const [name, rows] of Object.entries(said)) expect(rows.length, name).toBeGreaterThan(0);
  },
  600_000,
);
