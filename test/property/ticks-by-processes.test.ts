import { expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { LearnedState } from '../../src/stream/learned.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { differences } from '../support/compare.js';
import { withoutTest } from '../support/pane-series.js';
import { IS_LONG } from '../support/repetitions.js';
import { type Log, together } from '../support/several-processes.js';
import {
  FEW,
  logOfAll,
  type PartitionedLog,
  TickProcess,
  withoutRatings,
} from '../support/tick-processes.js';

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
    for (const found of all) expect(differences(found, all[0], 0)).toEqual([]);
    const [own, alone] = [all[0]!, snapshot].map(withoutRatings);
    expect(differences(withoutTest([own!]), withoutTest([alone!]), 0)).toEqual([]);
    expect(differences(withoutTest([all[0]!]), withoutTest([snapshot]), 1e-12)).toEqual([]);
    learned = workers[0]!.learned;
    for (const worker of workers) expect(worker.learned).toEqual(learned);
  }
  // What goes on from tick to tick. One process decides by the A/B test, which several do not report.
  expect(learned?.decision).toMatch('columns');
  expect(learned?.gamma).toEqual(ofOne.gamma);
  return closed.map(({ snapshot }) => snapshot);
}

/** Partitions and processes. */
const LONG_FORM: readonly (readonly [number, number])[] = [
  [1, 2],
  [6, 4],
  [24, 8],
];
const SCHEDULES = IS_LONG ? LONG_FORM : [[6, 2] as const];

it.each(SCHEDULES)(
  'of %i partitions are to the bit what one process makes of them, by %i processes',
  (partitions, processes) => {
    const log = logOfAll(partitions, {
      ...(!IS_LONG && FEW),
      ...(IS_LONG && { 'time.tick': '10m', 'estimates.interval': 'bootstrap' }),
    });
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

const OVER = IS_LONG ? [1, 6, 24] : [1, 6];

it(`are the same over ${OVER.join(', ')} partitions`, () => {
  const few = { ...FEW, 'time.windows': '30m,1h' };
  const [wanted, ...others] = OVER.map((partitions) => {
    const { closed } = logOfAll(partitions, few).alone(50);
    return closed.map(({ snapshot }) => withoutRatings(snapshot));
  });
  expect(wanted!.length).toBeGreaterThan(2);
  for (const found of others) expect(differences(found, wanted, 1e-12)).toEqual([]);
}, 600_000);
