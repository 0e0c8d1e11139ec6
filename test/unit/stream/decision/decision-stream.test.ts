import { describe, expect, it } from 'vitest';
import type { MonitorOptions } from '../../../../src/stream/options.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { decisionOptions } from '../../../support/decision.js';
import { CYCLE_MS, driftMonitorOptions, driftTraffic } from '../../../support/drift-traffic.js';
import { type Event, feed } from '../../../support/log.js';
import { paneSeries } from '../../../support/pane-series.js';
import { RestartedReader } from '../../../support/restarts.js';

const HOW = { partitions: 1, batchSize: 10_000, run: 1 };
const START_MS = Date.UTC(2026, 0, 1);

/** Verdicts by recall@10 every 6 cycles, with days of 24; no alarms, so no new starts. */
function options(overrides: Partial<MonitorOptions> = {}): MonitorOptions {
  const { drift: _, ...rest } = driftMonitorOptions();
  const lengths = { lookMs: 6 * CYCLE_MS, dayMs: 24 * CYCLE_MS };
  const metric = { metric: 'recall', k: 10 } as const;
  return { ...rest, decision: decisionOptions({ metric, ...lengths }), ...overrides };
}

/**
 * One model lists the item that most find, the other those that few do: uncorrected the one is ahead,
 * and where rare items weigh as γ = 2 has it the other is.
 */
function* turningTraffic(cycles: number): Generator<Event> {
  const rare = Array.from({ length: 40 }, (_, n) => `rare${n}`);
  const lists = { head: ['everybody'], tail: rare };
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (let n = 0; n < 60; n++) {
      const [user, ts] = [`u${n}`, START_MS + cycle * CYCLE_MS + 100 * n];
      // Repeated pairs would be seen only once.
      const item = n % 5 === 0 ? rare[(cycle + n) % 40]! : 'everybody';
      const own = { user: `${user}-${cycle}`, ts };
      for (const [model, items] of Object.entries(lists)) {
        yield { ...own, type: 'exposure', id: `${model} ${user} ${ts}`, model, items };
      }
      yield { ...own, type: 'interaction', id: `i ${user} ${ts}`, item, ts: ts + 1 };
    }
  }
}

describe('verdicts where γ decides who is better', () => {
  const log = [...turningTraffic(60)];
  const newest = (use: number) => {
    const { gamma } = options();
    const { snapshots } = feed(log, options({ gamma: { ...gamma, use } }), HOW);
    return snapshots.at(-1)!.verdicts!.find(({ model }) => model === 'tail')!;
  };

  it('are none where γ is only assumed, on whatever side of the turn', () => {
    for (const use of [2, -0.9]) {
      const { state, better, flip, value } = newest(use);
      expect({ state, better }).toEqual({ state: 'undecided', better: null });
      expect(Math.sign(value)).toBe(use > 0 ? 1 : -1);
      expect(flip!.winsBelow).toBe('head');
      expect(flip!.gamma).toBeGreaterThan(-1);
      expect(flip!.gamma).toBeLessThan(2);
    }
  });
});

describe('verdicts on simulated traffic', () => {
  const log = driftTraffic({ seed: 5, cycles: 60, rankers: ['personal', 'popular'] });

  it('are the same to the last bit after a restart in the middle of everything', () => {
    const reader = new RestartedReader(log, options(), 3);
    for (let round = 0; round < 400; round++) {
      for (let p = 0; p < 3; p++) {
        reader.read('exposures', p, 40);
        reader.read('interactions', p, 40);
        if (round % 7 === 3 * p) reader.checkpoint(p);
      }
      if (round % 50 === 20) reader.restart(round % 100 === 20);
    }
    reader.finish();
    const undisturbed = new RestartedReader(log, options(), 3);
    undisturbed.finish();
    const verdicts = (found: readonly Snapshot[]) =>
      paneSeries(found).map(({ verdicts: all }) => JSON.stringify(all));
    expect(verdicts(reader.snapshots)).toEqual(verdicts(undisturbed.snapshots));
  });
});
