import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../src/features/drift/alarm.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { differences } from '../../support/compare.js';
import { cycleOf, driftMonitorOptions, driftTraffic } from '../../support/drift-traffic.js';
import { feed } from '../../support/log.js';
import { repetitions } from '../../support/repetitions.js';

const HOW = { partitions: 1, batchSize: 10_000, run: 1 };

const raised = (snapshots: readonly Snapshot[]): Alarm[] =>
  snapshots.flatMap(({ alarms, paneEnd }) => alarms.filter(({ at }) => at === paneEnd));

describe('simulated traffic in which one ranker turns to popularity', () => {
  const log = driftTraffic({ seed: 3, cycles: 50, rankers: ['personal', 'blend'], shiftAt: 40 });
  const { snapshots } = feed(log, driftMonitorOptions(), HOW);
  const alarms = raised(snapshots).filter(({ detector }) => detector === 'cusum');

  it('alarms within two panes, of that ranker alone, and says by which items', () => {
    expect(new Set(alarms.flatMap(({ models }) => models))).toEqual(new Set(['personal']));
    const debiased = alarms.find(({ series }) => series === 'estimate/snips/recall@10/personal')!;
    expect(cycleOf(debiased.at)).toBeGreaterThan(40);
    expect(cycleOf(debiased.at)).toBeLessThanOrEqual(42);
    expect(Math.abs(cycleOf(debiased.since) - 40)).toBeLessThanOrEqual(1);
    expect(debiased.size).toBeLessThan(-1);
    expect(debiased.topItems[0].share).toBeGreaterThan(2 * debiased.topItems[0].before);
    const gap = alarms.find(({ series }) => series === 'gap/snips/recall@10/personal')!;
    expect(gap.size).toBeGreaterThan(1);
  });

  it('gives the same scores and alarms whatever the partitions and batches', () => {
    const other = feed(log, driftMonitorOptions(), { partitions: 3, batchSize: 700, run: 2 });
    const drift = (found: readonly Snapshot[]) => found.map(({ drift }) => drift);
    expect(differences(drift(other.snapshots), drift(snapshots), 1e-6)).toEqual([]);
    expect(differences(raised(other.snapshots), raised(snapshots), 1e-6)).toEqual([]);
  });
});

it('of streams without a change no more give a false alarm than is promised', {
  timeout: 240_000,
}, () => {
  // One in ten may fire. Of 6 streams detectors that fire five times as often are noticed, of 50
  // those that do so 2.3 times as often.
  const streams = repetitions(6, 50);
  const cycles = 70;
  const learned = 20;
  const fired = { cusum: 0, psi: 0 };
  for (let seed = 1; seed <= streams; seed++) {
    const log = driftTraffic({ seed, cycles, rankers: ['personal'] });
    const alarms = raised(feed(log, driftMonitorOptions(), HOW).snapshots);
    if (alarms.some(({ detector }) => detector === 'cusum')) fired.cusum++;
    if (alarms.some(({ detector }) => detector === 'psi')) fired.psi++;
  }
  const judged = cycles - learned;
  for (const [detector, meanPanes] of [
    ['cusum', 465],
    ['psi', 500],
  ] as const) {
    const promised = 1 - Math.exp(-judged / meanPanes);
    const error = Math.sqrt((promised * (1 - promised)) / streams);
    expect(fired[detector] / streams, detector).toBeLessThan(promised + 3 * error);
  }
  // Detectors that never speak would keep the promise as well.
  expect(fired.cusum + fired.psi).toBeGreaterThan(0);
});
