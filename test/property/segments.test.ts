import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import type { SegmentReport } from '../../src/estimators/results/segment-report.js';
import { segmentOffsets } from '../../src/estimators/segments/segment-axes.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from '../support/compare.js';
import { FEW, SEGMENTED, segmented, simulated } from '../support/frozen/logs.js';
import { type Event, feed, quickOptions } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { aLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { RestartedReader } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

const OPTIONS = quickOptions({
  popularity: { horizonMs: 120, of: 'positive' },
  estimates: {
    ...quickOptions().estimates,
    estimators: ['naive', 'snips', 'gs', 'ips'],
  },
  segments: {
    dimensions: [
      { name: 'country', from: 'exposure' },
      { name: 'device', from: 'interaction' },
      { name: 'tenure', from: 'user' },
    ],
    builtIn: ['item_popularity'],
    values: 2,
    minUsers: 2,
  },
});

/** Every event says something of itself, or nothing. */
const aDividedLog = fc
  .tuple(
    aLogOf(repetitions(50, 80), undefined, 40),
    fc.array(fc.nat(255), { minLength: 80, maxLength: 80 }),
  )
  .map(([log, drawn]) =>
    log.map((event, n): Event => {
      const say = drawn[n]!;
      const segments = {
        ...(say % 2 === 0 && { country: ['de', 'fr', 'us', 'it'][say % 4]! }),
        ...(say % 3 > 0 && { device: ['tv', 'web', 'app'][say % 5] ?? 'car' }),
        ...(say % 7 === 0 && { tenure: ['new', 'old', '__proto__'][say % 3]! }),
      };
      return Object.keys(segments).length === 0 ? event : { ...event, segments };
    }),
  );

/** Value of each positive pair by the rules, read off the log: the slow way. */
function expectedRows(log: readonly Event[], { from, to }: { from: number; to: number }) {
  const order = log
    .map((event, n) => ({ event, n }))
    .sort(
      (a, b) =>
        Number(a.event.ts) - Number(b.event.ts) ||
        Number(a.event.type === 'interaction') - Number(b.event.type === 'interaction') ||
        a.n - b.n,
    );
  const last = new Map<string, Map<string, string>>();
  const pairs = new Map<string, { country: string; device: string; tenure: string }>();
  for (const { event } of order) {
    const known = last.get(event.user) ?? new Map<string, string>();
    last.set(event.user, known);
    const said = event.segments ?? {};
    if (event.type === 'exposure' && said['country']) known.set('country', said['country']);
    if (said['tenure']) known.set('tenure', said['tenure']);
    const ts = Number(event.ts);
    if (event.type === 'exposure' || event.value !== 1 || ts < from || ts >= to) continue;
    const pair = `${event.user}\n${event.item}`;
    if (pairs.has(pair)) continue;
    pairs.set(pair, {
      country: known.get('country') ?? '',
      device: said['device'] ?? '',
      tenure: known.get('tenure') ?? '',
    });
  }
  return [...pairs.values()];
}

const HOW = { partitions: 1, batchSize: 1_000, run: 1 };

function reports(snapshots: readonly Snapshot[]) {
  return snapshots.flatMap(({ windows }) => windows);
}

describe('estimates by segment', () => {
  it('recombine to the overall estimate in each dimension', () => {
    const compared = new Set<string>();
    fc.assert(
      fc.property(aDividedLog, fc.integer({ min: 1, max: 4 }), (log, partitions) => {
        const { snapshots } = feed(log, OPTIONS, { ...HOW, partitions });
        for (const { results, segments } of reports(snapshots)) {
          const offsets = segmentOffsets(segments ?? { names: [] });
          for (const row of results) {
            const own = segments!.numbers.find(
              ({ model, metric, k, estimator, form: aggregation }) =>
                model === row.model &&
                metric === row.metric &&
                k === row.k &&
                estimator === row.estimator &&
                aggregation === row.form,
            );
            if (own === undefined) continue;
            for (let d = 0; d + 1 < offsets.length; d++) {
              const from = offsets[d]!;
              const to = offsets[d + 1]!;
              const sum = (column: readonly number[]) =>
                column.slice(from, to).reduce((total, value) => total + value, 0);
              expect(
                Math.abs(sum(own.contribution) - row.sums.numerator / row.sums.denominator),
              ).toBeLessThan(1e-12);
              expect(Math.abs(sum(own.share) - 1)).toBeLessThan(1e-12);
              compared.add(`${row.estimator} ${row.form}`);
            }
          }
        }
      }),
      { numRuns: repetitions(2, 20) },
    );
    expect([...compared].sort()).toEqual([
      'gs pooled',
      'gs user',
      'ips pooled',
      'naive pooled',
      'naive user',
      'snips pooled',
      'snips user',
    ]);
  });

  it('cover the rows of the log, with rare values grouped under others', () => {
    fc.assert(
      fc.property(aDividedLog, (log) => {
        const options = { ...OPTIONS, popularity: { horizonMs: 6000, of: 'positive' as const } };
        for (const window of reports(feed(log, options, HOW).snapshots)) {
          const rows = expectedRows(log, window);
          if (window.segments === undefined) continue;
          for (const [d, dimension] of window.segments.dimensions.entries()) {
            if (dimension === 'item_popularity') continue;
            const name = dimension as 'country' | 'device' | 'tenure';
            expect(counted(window.segments, d)).toEqual(expected(rows.map((row) => row[name])));
          }
        }
      }),
      { numRuns: repetitions(1, 10) },
    );
  });

  it('are the same for any batches and partitions', () => {
    const how = fc.record({
      partitions: fc.integer({ min: 1, max: 7 }),
      batchSize: fc.integer({ min: 1, max: 40 }),
      run: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(aDividedLog, how, (log, other) => {
        const one = feed(log, OPTIONS, HOW);
        expect(differences(feed(log, OPTIONS, other).snapshots, one.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(1, 15) },
    );
  });

  it('are the same after restarts from checkpoints', () => {
    const aStep = fc.record({
      partition: fc.nat(1),
      count: fc.integer({ min: 1, max: 12 }),
      isKept: fc.boolean(),
      isKilled: fc.boolean(),
    });
    const steps = fc.array(aStep, { minLength: 12, maxLength: 20 });
    fc.assert(
      fc.property(aDividedLog, steps, (log, script) => {
        const undisturbed = feed(log, OPTIONS, HOW);
        const reader = new RestartedReader(log, OPTIONS, 2);
        for (const { partition, count, isKept, isKilled } of script) {
          reader.read('exposures', partition, count);
          reader.read('interactions', partition, count);
          if (isKept) for (const p of [0, 1]) reader.checkpoint(p);
          if (isKilled) reader.restart();
        }
        reader.finish();
        expect(differences(paneSeries(reader.snapshots), undisturbed.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(1, 15), endOnFailure: true },
    );
  });

  it('are the same if other processes close the panes', () => {
    // Lists, by which ips has its scale, are known to those who read alone.
    const estimators = ['naive', 'snips', 'gs'] as const;
    const options = { ...OPTIONS, estimates: { ...OPTIONS.estimates, estimators } };
    fc.assert(
      fc.property(aDividedLog, (log) => {
        const alone = feed(log, options, HOW);
        const found = throughRecords(log, options, 3).snapshots;
        expect(differences(found, alone.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(1, 10), endOnFailure: true },
    );
  });

  it('differ by exactly zero between models that send the same lists', () => {
    const asked = { ...FEW, ...SEGMENTED, 'comparisons.control': 'popular' };
    const { config } = readConfig({ env: {}, overrides: asked });
    const log = segmented(simulated({ randomizedShare: 0, durationMs: 7_200_000 }));
    const twins = log.flatMap((event): Event[] =>
      event.type === 'exposure' && event.model === 'popular'
        ? [event, { ...event, id: `${event.id}-twin`, model: 'twin', shown: false }]
        : [event],
    );
    const how = { partitions: 3, batchSize: 100, run: 1 };
    const { snapshots } = feed(twins, monitorOptions(config), how);
    const found = snapshots
      .flatMap(({ windows }) => windows.flatMap(({ segments }) => segments?.numbers ?? []))
      .filter(({ model, difference }) => model === 'twin' && difference !== undefined)
      .flatMap(({ difference, value }) =>
        value.flatMap((own, at) =>
          Number.isNaN(own) ? [] : [[difference!.value[at], difference!.stdErr[at]]],
        ),
      )
      .filter((pair) => pair.every((own) => !Number.isNaN(own)));
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter(([value, error]) => value !== 0 || error !== 0)).toEqual([]);
  });
});

function counted({ names, rows }: SegmentReport, d: number): Record<string, number> {
  const found = names[d]!.map((name, code) => [
    code === 0 ? '(missing)' : code === 1 ? '(other)' : name,
    rows[d]![code]!,
  ]);
  return Object.fromEntries(found.filter(([, count]) => count !== 0));
}

function expected(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const missing = counts.get('') ?? 0;
  counts.delete('');
  const order = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const other = order.slice(2).reduce((sum, [, count]) => sum + count, 0);
  const shown = order.slice(0, 2);
  return Object.fromEntries(
    [['(missing)', missing] as const, ['(other)', other] as const, ...shown].filter(
      ([, count]) => count > 0,
    ),
  );
}
