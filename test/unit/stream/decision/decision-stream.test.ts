import { describe, expect, it } from 'vitest';
import type { MonitorOptions } from '../../../../src/stream/options.js';
import { decisionOptions } from '../../../support/decision.js';
import { CYCLE_MS, driftMonitorOptions } from '../../../support/drift-traffic.js';
import { type Event, feed } from '../../../support/log.js';

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
      const user = `u${n}`;
      const ts = START_MS + cycle * CYCLE_MS + 100 * n;
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

describe('verdicts that depend on γ', () => {
  const log = [...turningTraffic(40)];
  const newest = (use: number) => {
    const { gamma } = options();
    const { snapshots } = feed(log, options({ gamma: { ...gamma, use } }), HOW);
    return snapshots.at(-1)!.verdicts!.find(({ model }) => model === 'tail')!;
  };

  it('are undecided if γ is only assumed, on either side of the flip', () => {
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
