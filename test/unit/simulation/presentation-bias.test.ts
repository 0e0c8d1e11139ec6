import { linearRegression } from 'simple-statistics';
import { expect, test } from 'vitest';
import { type SimulatedEvent, Simulation } from '../../../src/simulation/simulation.js';
import { IS_LONG, repetitions } from '../../support/repetitions.js';

const CYCLES = 5;
/** A γ that is off by .2 is noticed with few as with many. */
const USERS = repetitions(1000, 2000);

/** Log f(n) against log n by level, n counted before `from`, exposures from then on. */
function levels(events: Iterable<SimulatedEvent>, from: number) {
  const count = new Map<string, number>();
  const exposed = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'interaction') {
      if (event.ts < from && event.value === 1) {
        count.set(event.item, (count.get(event.item) ?? 0) + 1);
      }
    } else if (event.model === 'production' && event.ts >= from) {
      for (const item of event.items) exposed.set(item, (exposed.get(item) ?? 0) + 1);
    }
  }
  const byCount = [...count.entries()].sort((a, b) => a[1] - b[1]);
  // The smallest level above which at most 0.5 % of the items stand is the last that counts.
  const last = byCount.find(
    ([, n]) => byCount.filter(([, other]) => other > n).length <= 0.005 * byCount.length,
  ) as [string, number];
  const points: [number, number][] = [];
  for (const n of new Set(count.values())) {
    const items = byCount.filter(([, other]) => other === n).map(([item]) => item);
    const total = items.reduce((sum, item) => sum + (exposed.get(item) ?? 0), 0);
    if (n <= last[1] && total > 0) points.push([Math.log(n), Math.log(total / items.length)]);
  }
  return points;
}

function slope(gamma: number, seed: number): number {
  const simulation = new Simulation({ seed, gamma, users: USERS, durationMs: CYCLES * 3_600_000 });
  const from = simulation.options.startMs + (CYCLES - 1) * simulation.options.cycleMs;
  return linearRegression(levels(simulation.events(), from)).m;
}

// In the short form each γ has a seed of its own.
const CASES: readonly (readonly [number, number])[] = [
  [0.7, 1],
  [1.5, 2],
  [2.5, 1],
  ...(IS_LONG
    ? ([
        [0.7, 2],
        [1.5, 1],
        [2.5, 2],
      ] as const)
    : []),
];

test.each(CASES)(
  'least squares on lagged levels recovers γ = %s from one log (seed %s)',
  (gamma, seed) => {
    expect(Math.abs(slope(gamma, seed) - gamma)).toBeLessThan(0.1);
  },
);

test('the first period, before anything is counted, follows the target popularity', () => {
  const simulation = new Simulation({
    gamma: 1.5,
    users: repetitions(1500, 3000),
    durationMs: 3_600_000,
  });
  const exposed = new Map<string, number>();
  for (const event of simulation.events()) {
    if (event.type !== 'exposure' || event.model !== 'production') continue;
    for (const item of event.items) exposed.set(item, (exposed.get(item) ?? 0) + 1);
  }
  const { itemIds, targetPopularity } = simulation.world;
  const points = itemIds.map((id, item) => [
    Math.log(targetPopularity[item]),
    Math.log(exposed.get(id) as number),
  ]);
  expect(Math.abs(linearRegression(points).m - 1.5)).toBeLessThan(0.1);
});
