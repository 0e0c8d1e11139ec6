import { describe, expect, it } from 'vitest';
import { demoSettings } from '../../src/commands/service/demo.js';
import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { reasonOf } from '../../src/rows/reading.js';
import { demoOptions } from '../../src/simulation/demo-traffic.js';
import type { SimulationOptions } from '../../src/simulation/options.js';
import { Simulation } from '../../src/simulation/simulation.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { type Event, feed } from '../support/log.js';
import { IS_LONG } from '../support/repetitions.js';

/** When the demonstration was started; panes are aligned to it. */
const NOW = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;

interface Life extends Partial<SimulationOptions> {
  readonly minutes: number;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Minutes of what `unskew demo` shows, from its first tick on. */
function demonstrated({ minutes, settings, ...traffic }: Life) {
  const overrides = { ...demoSettings({ isPlain: true }), ...settings };
  const { config } = readConfig({ env: {}, overrides });
  const durationMs = minutes * MINUTE;
  const simulation = new Simulation({
    ...demoOptions(NOW, traffic, { isPlain: true }),
    durationMs,
  });
  const how = { partitions: 4, batchSize: 2000, run: 1 };
  const { snapshots } = feed([...simulation.events()] as Event[], monitorOptions(config), how);
  return { snapshots, truth: simulation.truth(NOW, config.estimates.ks) };
}

const resultsOf = ({ windows }: Snapshot) =>
  windows.flatMap(({ name, results }) => results.map((row) => ({ ...row, window: name })));

/**
 * As the demonstration has it in the long form; in the short one a third of the ticks, and of the
 * models the one whose lists are served, with one that takes no part in it.
 */
const SHORT = IS_LONG
  ? {}
  : {
      rankers: ['personal' as const],
      listLength: 10,
      viewsPerSession: 0,
      settings: { 'time.tick': '15s', baseline: 'none', 'drift.detectors': [] },
    };
describe('the plain demo', () => {
  it('withholds no estimate from its first tick on', () => {
    const minutes = IS_LONG ? 6 : 1;
    const { snapshots } = demonstrated({ minutes, seed: 1, ...SHORT });
    const withheld = snapshots.flatMap((snapshot) =>
      resultsOf(snapshot)
        .filter((row) => reasonOf(row) !== null)
        .map((row) => `${row.window} ${row.model} ${row.metric}@${row.k} ${row.estimator}`),
    );
    expect(withheld).toEqual([]);
    // Interactions give its lists' ids, and some rows were driven by them, so causes are known.
    const { windows, models } = snapshots.at(-1)!;
    expect(models).toContain('production');
    for (const { feedback } of windows) {
      expect(feedback).toMatchObject({ mode: 'withhold', source: 'named' });
      expect(feedback!.caused).toBeGreaterThan(0.0005);
    }
  }, 900_000);
});

it('a demo whose lists drive 1 % of interactions withholds the served model’s estimates', () => {
  const { snapshots } = demonstrated({ minutes: 1, causedShare: 0.01, ...SHORT });
  const withheld = resultsOf(snapshots.at(-1)!).filter((row) => reasonOf(row) !== null);
  expect(new Set(withheld.map(({ model }) => model))).toEqual(new Set(['production']));
  expect(withheld.length).toBeGreaterThan(10);
});

/** Two of its models, and of their lists what is evaluated. */
const PAIR = {
  rankers: ['personal' as const, 'popular' as const],
  listLength: 10,
  viewsPerSession: 0,
};

it('debiased estimates of the demo are near the truth, and most intervals cover it', () => {
  const settings = {
    'time.tick': '30s',
    'time.windows': ['1m'],
    'estimates.metrics': 'recall',
    baseline: 'none',
    'drift.detectors': [],
  };
  const { snapshots, truth } = demonstrated({ minutes: 5, ...PAIR, settings });
  const newest = snapshots.at(-1)!;
  expect(newest.propensity.source).toBe('fit');
  const results = resultsOf(newest);
  const compared = truth.filter(({ metric }) => metric === 'recall');
  let outside = 0;
  for (const { value: known, aggregation: form, ...what } of compared) {
    const of = { ...what, form };
    const row = (estimator: string) =>
      results.find(
        (r) => r.estimator === estimator && Object.entries(of).every(([n, v]) => r[n as 'k'] === v),
      )!;
    const off = (estimator: string) => Math.abs(row(estimator).value - known);
    const label = JSON.stringify(of);
    expect(off('naive'), label).toBeGreaterThan(0.1 * known);
    expect(off('snips'), label).toBeLessThan(0.5 * off('naive'));
    expect(off('gs'), label).toBeLessThan(0.7 * off('naive'));
    expect(off('wtd_h'), label).toBeLessThan(0.7 * off('naive'));
    expect(off('skew'), label).toBeLessThan(0.9 * off('naive'));
    const { lower, upper } = row('snips');
    if (known < lower || known > upper) outside++;
  }
  expect(compared).toHaveLength(8);
  expect(outside).toBeLessThanOrEqual(2);
});
