import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEATURE_GAUGES } from '../../../src/features/gauges.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { SNAPSHOT_SERIES } from '../../../src/outputs/prometheus/snapshot-series.js';
import { EVENT_OUTCOMES } from '../../../src/outputs/prometheus/stream-series.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { ratingsReportOf } from '../../support/ratings-report.js';
import { repetitions } from '../../support/repetitions.js';
import { shownOf, uncausedOf, withheldOf } from '../../support/rows.js';
import { WatchedExporter } from '../../support/watched-exporter.js';
import { type ParsedSeries, parseExposition } from './exposition.js';

function exporter(maxModels = 16): Exporter {
  return new Exporter({ maxModels, version: '0.0.0', topics: ['exposures', 'interactions'] });
}

async function scrape(from: Exporter): Promise<ParsedSeries[]> {
  return parseExposition(await from.metrics());
}

function value(series: ParsedSeries[], name: string, labels: Record<string, string> = {}): number {
  const found = series.filter(
    (one) =>
      one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
  );
  expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
  return found[0]!.value;
}

describe('a scrape', () => {
  it('gives every estimate of the newest snapshot exactly', async () => {
    const one = exporter();
    one.update(makeSnapshot({ start: 5 }));
    const snapshot = makeSnapshot({ start: 7 });
    one.update(snapshot);
    const series = await scrape(one);
    for (const window of snapshot.windows) {
      for (const row of window.results) {
        const { model, metric, estimator, form: aggregation } = row;
        const k = row.k === null ? '' : String(row.k);
        const labels = { model, metric, k, estimator, aggregation, window: window.name };
        expect(value(series, 'unskew_estimate', labels)).toBe(row.value);
        expect(value(series, 'unskew_estimate_stderr', labels)).toBe(row.stdErr);
        expect(value(series, 'unskew_estimate_lower', labels)).toBe(row.lower);
        expect(value(series, 'unskew_estimate_upper', labels)).toBe(row.upper);
        expect(value(series, 'unskew_estimate_numerator', labels)).toBe(row.sums.numerator);
        expect(value(series, 'unskew_estimate_denominator', labels)).toBe(row.sums.denominator);
      }
    }
    const count = snapshot.windows.reduce((sum, window) => sum + window.results.length, 0);
    expect(series.filter((each) => each.name === 'unskew_estimate')).toHaveLength(count);
  });

  it('gives the user sampling ratio, and sampled-out events by topic from 0', async () => {
    const one = exporter();
    expect(
      value(await scrape(one), 'unskew_sampled_out_events_total', { topic: 'exposures' }),
    ).toBe(0);
    one.update({ ...makeSnapshot(), sampling: { ratio: 0.25 } });
    one.stream.sampledOut('interactions', 3);
    one.stream.sampledOut('interactions', 4);
    const series = await scrape(one);
    expect(value(series, 'unskew_user_sampling_ratio')).toBe(0.25);
    const total = 'unskew_sampled_out_events_total';
    expect(value(series, total, { topic: 'interactions' })).toBe(7);
    expect(value(series, total, { topic: 'exposures' })).toBe(0);
  });

  it('preserves any finite number and any model name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
        fc.string({ minLength: 1, unit: 'binary' }),
        async (number, model) => {
          const base = makeSnapshot({ models: [model], windows: ['1h'] });
          const window = base.windows[0]!;
          const results = [{ ...window.results[0]!, value: number }];
          const one = exporter();
          one.update({ ...base, windows: [{ ...window, results }] });
          const series = (await scrape(one)).filter((each) => each.name === 'unskew_estimate');
          expect(series).toHaveLength(1);
          expect(series[0]!.value).toBe(number);
          expect(series[0]!.labels['model']).toBe(model);
        },
      ),
      { numRuns: repetitions(12, 40) },
    );
  });

  it.each(['a"b', 'a\\b', 'a\nb', 'a",window="x', '\\', '\\n', '__proto__', '}', 'постель'])(
    'escapes the model name %j',
    async (model) => {
      const one = exporter();
      one.update(makeSnapshot({ models: [model, 'other'] }));
      const found = (await scrape(one)).filter(
        (each) => each.name === 'unskew_singleton_user_ratio',
      );
      expect(new Set(found.map((each) => each.labels['model']))).toEqual(new Set([model, 'other']));
    },
  );

  it('gives the scale of ips by window, and none for windows without ips', async () => {
    const one = exporter();
    const snapshot = makeSnapshot();
    const [hour, day] = snapshot.windows;
    const absoluteScale = { scale: 'randomized', loggedShare: 0, passedOver: [] } as const;
    one.update({
      ...snapshot,
      windows: [
        { ...hour!, absoluteScale },
        { ...day!, absoluteScale: null },
      ],
    });
    const series = await scrape(one);
    expect(value(series, 'unskew_ips_scale', { scale: 'randomized', window: '1h' })).toBe(1);
    expect(value(series, 'unskew_ips_scale', { scale: 'relative', window: '1h' })).toBe(0);
    const scales = series.filter(({ name }) => name === 'unskew_ips_scale');
    expect(scales.map(({ labels }) => labels['window'])).toEqual(['1h', '1h', '1h', '1h']);
  });

  it('gives γ, its status and source, popularity, its lift and the exposure curve', async () => {
    const one = exporter();
    const snapshot = makeSnapshot();
    one.update(snapshot);
    const series = await scrape(one);
    const fit = snapshot.propensity.fits['popular']!;
    expect(value(series, 'unskew_gamma', { model: 'popular', fit: 'ols' })).toBe(fit.ols.gamma);
    expect(value(series, 'unskew_gamma_stderr', { model: 'popular', fit: 'ols' })).toBe(
      fit.ols.stdErr,
    );
    const poisson = { model: 'popular', fit: 'poisson' };
    expect(value(series, 'unskew_gamma', poisson)).toBe(fit.poisson.gamma);
    expect(value(series, 'unskew_gamma_stderr', poisson)).toBe(fit.poisson.stdErr);
    const row = snapshot.windows[1]!.differences.find(({ metric }) => metric === 'dcg')!;
    const labels = {
      model: 'popular',
      reference: 'good',
      metric: 'dcg',
      k: '',
      window: '24h',
      estimator: row.estimator,
      aggregation: row.form,
    };
    expect(value(series, 'unskew_estimate_difference', labels)).toBe(row.value);
    expect(value(series, 'unskew_estimate_difference_stderr', labels)).toBe(row.stdErr);
    expect(value(series, 'unskew_estimate_difference_lower', labels)).toBe(row.lower);
    expect(value(series, 'unskew_estimate_difference_upper', labels)).toBe(row.upper);
    expect(value(series, 'unskew_gamma_status', { model: '*', status: 'ok' })).toBe(1);
    expect(value(series, 'unskew_gamma_status', { model: '*', status: 'stale' })).toBe(0);
    expect(value(series, 'unskew_gamma_used', { source: 'last_good' })).toBe(2);
    expect(value(series, 'unskew_exposure_curve', { model: 'good', level: '4' })).toBe(
      snapshot.propensity.fits['good']!.curve[2]!.exposuresPerItem,
    );
    expect(value(series, 'unskew_popularity_gini', { stream: 'interactions', model: '' })).toBe(
      snapshot.popularity.interactions.gini,
    );
    expect(
      value(series, 'unskew_popularity_coverage_ratio', { stream: 'exposures', model: 'good' }),
    ).toBe(snapshot.popularity.exposures['good']!.coverage);
    const day = snapshot.windows[1]!;
    const shown = day.averageRecommendationPopularity['good']!;
    const liked = day.averageInteractionPopularity;
    expect(value(series, 'unskew_popularity_lift', { model: 'good', window: '24h' })).toBeCloseTo(
      shown / liked - 1,
      12,
    );
    expect(value(series, 'unskew_pane_end_seconds')).toBe(1_700_000_040);
    expect(value(series, 'unskew_window_end_seconds', { window: '24h' })).toBe(1_700_000_040);
    expect(
      value(series, 'unskew_effective_sample_size', {
        model: 'good',
        estimator: 'gs',
        window: '1h',
        unit: 'user',
      }),
    ).toBe(snapshot.windows[0]!.effectiveSampleSizes.find((row) => row.estimator === 'gs')!.users);
  });

  it('has no estimate before the first snapshot, or of a removed model', async () => {
    const one = exporter();
    expect((await scrape(one)).filter((each) => isOfSnapshot(each.name))).toEqual([]);
    one.update(makeSnapshot({ models: ['old', 'new'] }));
    expect((await scrape(one)).some((each) => each.labels['model'] === 'old')).toBe(true);
    one.update(makeSnapshot({ models: ['new'] }));
    const series = await scrape(one);
    expect(series.some((each) => each.labels['model'] === 'old')).toBe(false);
    expect(series.some((each) => each.labels['model'] === 'new')).toBe(true);
  });

  it('shows nothing of a withdrawn snapshot, even if it was scraped before', async () => {
    const one = exporter();
    one.update(makeSnapshot());
    expect((await scrape(one)).some((each) => isOfSnapshot(each.name))).toBe(true);
    one.withdraw();
    expect((await scrape(one)).filter((each) => isOfSnapshot(each.name))).toEqual([]);
    one.update(makeSnapshot());
    expect((await scrape(one)).some((each) => isOfSnapshot(each.name))).toBe(true);
  });

  it('leaves out undefined values', async () => {
    const one = exporter();
    const base = makeSnapshot({ windows: ['1h'] });
    const window = base.windows[0]!;
    const results = [{ ...window.results[0]!, stdErr: Number.NaN }];
    one.update({ ...base, windows: [{ ...window, results }] });
    const names = (await scrape(one)).map((each) => each.name);
    expect(names).toContain('unskew_estimate');
    expect(names).not.toContain('unskew_estimate_stderr');
  });

  it('gives every sample exactly the labels of its series', () => {
    const plain = makeSnapshot();
    const absoluteScale = { scale: 'relative', loggedShare: 0, passedOver: [] } as const;
    const sizes = { effectiveSampleSizes: [], rows: 9, users: 8 };
    const onPolicy = { refused: null, values: [shownOf()], named: 4 };
    const windows = plain.windows.map((window) => ({
      ...window,
      absoluteScale,
      onPolicy: { ...onPolicy, elsewhere: 0 },
      ratings: ratingsReportOf(),
      feedback: feedbackReport(0.3, {
        uncaused: { results: uncausedOf(window.results), differences: [], ...sizes },
      }),
      results: window.results.map((row, n) => (n === 0 ? withheldOf(row, 'caused_by_lists') : row)),
    }));
    const users = { users: 9, interactions: 40, median: 2, limit: 20, largestShare: 0.5 };
    const heavyUsers = { ...users, apart: 1, apartShare: 0.5, named: [] };
    const nobody = { users: 9, several: 0 };
    const homes = { exposures: nobody, interactions: nobody, both: nobody, movedAt: 60_000 };
    const snapshot = { ...plain, windows, heavyUsers, homes };
    for (const series of SNAPSHOT_SERIES) {
      const samples = [...series.samples(snapshot)];
      expect(samples.length, series.name).toBeGreaterThan(0);
      for (const [labels] of samples) {
        expect(Object.keys(labels).sort()).toEqual([...series.labelNames].sort());
      }
    }
  });
});

const SERIES = [...SNAPSHOT_SERIES, ...FEATURE_GAUGES];

it('a scrape has rating metrics among the estimates, and counts unpredicted pairs', () => {
  const plain = makeSnapshot();
  const windows = plain.windows.map((window) => ({ ...window, ratings: ratingsReportOf() }));
  const valuesOf = (name: string, labels: Readonly<Record<string, string>>) =>
    [...SERIES.find((each) => each.name === name)!.samples({ ...plain, windows })]
      .filter(([own]) => Object.entries(labels).every(([key, value]) => own[key] === value))
      .map(([, value]) => value);
  const all = (value: number) => windows.map(() => value);
  const mae = { metric: 'mae', estimator: 'snips' };
  expect(valuesOf('unskew_estimate', mae)).toEqual(all(0.75));
  expect(valuesOf('unskew_estimate_stderr', mae)).toEqual(all(0.0625));
  expect(valuesOf('unskew_estimate_difference', mae)).toEqual(all(0.125));
  expect(valuesOf('unskew_rated_pairs', { outcome: 'unpredicted' })).toEqual(all(4));
  expect(valuesOf('unskew_values_off_scale', {})).toEqual(all(3));
});

describe('models above the cap', () => {
  const series = (snapshot: Snapshot): number =>
    SNAPSHOT_SERIES.reduce(
      (sum, each) =>
        sum + [...each.samples(snapshot)].filter(([{ model }]) => model === 'c').length,
      0,
    );

  it('are left out, and their series are counted', async () => {
    const one = exporter(2);
    const snapshot = makeSnapshot({ models: ['a', 'b', 'c'] });
    one.update(snapshot);
    const scraped = await scrape(one);
    const models = new Set(scraped.map((each) => each.labels['model']).filter(Boolean));
    expect(models).toEqual(new Set(['*', 'a', 'b']));
    expect(value(scraped, 'unskew_series_dropped_total')).toBe(series(snapshot));
  });

  it('do not displace an exported model, but take a place that becomes free', async () => {
    const one = exporter(2);
    one.update(makeSnapshot({ models: ['b', 'c'] }));
    one.update(makeSnapshot({ models: ['a', 'b', 'c'] }));
    const shown = async (): Promise<Set<string | undefined>> =>
      new Set(
        (await scrape(one))
          .filter((each) => each.name === 'unskew_estimate')
          .map((each) => each.labels['model']),
      );
    expect(await shown()).toEqual(new Set(['b', 'c']));
    one.update(makeSnapshot({ models: ['a', 'c'] }));
    expect(await shown()).toEqual(new Set(['a', 'c']));
  });
});

describe('counters and gauges of the ingest', () => {
  it('start at 0 for every topic and outcome and rise by the batch', async () => {
    const one = exporter();
    one.stream.events('exposures', 'accepted', 40);
    one.stream.events('exposures', 'accepted', 2);
    one.stream.events('interactions', 'not_json', 1);
    const series = await scrape(one);
    expect(value(series, 'unskew_events_total', { topic: 'exposures', outcome: 'accepted' })).toBe(
      42,
    );
    expect(
      value(series, 'unskew_events_total', { topic: 'interactions', outcome: 'not_json' }),
    ).toBe(1);
    expect(series.filter((each) => each.name === 'unskew_events_total')).toHaveLength(
      2 * EVENT_OUTCOMES.length,
    );
  });

  it('forget a partition that has moved to another process', async () => {
    const one = exporter();
    one.stream.watermark('exposures', 0, 12.5);
    one.stream.lag('exposures', 0, 3);
    one.stream.lag('exposures', 1, 4);
    one.stream.forget('exposures', 0);
    const series = await scrape(one);
    expect(series.filter((each) => each.name === 'unskew_watermark_seconds')).toEqual([]);
    expect(value(series, 'unskew_consumer_lag_records', { partition: '1' })).toBe(4);
  });

  it('count lists of models over the cap together with other dropped lists', async () => {
    const watched = new WatchedExporter();
    watched.traffic((outcomes) => {
      outcomes.modelOverCap = 3;
    });
    watched.exporter.stream.dropped(1, 2);
    // Of two partitions of two topics.
    const wanted = 3 * 4 + 2;
    expect(value(await scrape(watched.exporter), 'unskew_lists_dropped_total')).toBe(wanted);
  });

  it('measure ticks and stalls, gaps and dead letters', async () => {
    const one = exporter();
    one.stream.tick(0.25);
    one.stream.stall(0.004);
    one.stream.gap('exposures', 3, 17);
    one.stream.deadLetters('written', 5);
    const first = await scrape(one);
    expect(value(first, 'unskew_lists_dropped_total')).toBe(0);
    expect(value(first, 'unskew_models_dropped')).toBe(0);
    one.stream.dropped(2, 3);
    const series = await scrape(one);
    expect(value(series, 'unskew_tick_duration_seconds_sum')).toBe(0.25);
    expect(value(series, 'unskew_ingest_stall_seconds_count')).toBe(1);
    expect(value(series, 'unskew_gap_records_total', { topic: 'exposures', partition: '3' })).toBe(
      17,
    );
    expect(value(series, 'unskew_lists_dropped_total')).toBe(3);
    expect(value(series, 'unskew_models_dropped')).toBe(2);
    expect(value(series, 'unskew_dead_letters_total', { outcome: 'written' })).toBe(5);
  });
});

function isOfSnapshot(name: string): boolean {
  return SNAPSHOT_SERIES.some((series) => series.name === name);
}

describe('checkpoints', () => {
  it('have an age once one exists, and counters that start at 0', async () => {
    let age: number | undefined;
    const one = new Exporter({ maxModels: 1, version: '0', topics: [], checkpointAge: () => age });
    const ages = async () =>
      (await scrape(one)).filter(({ name }) => name === 'unskew_checkpoint_age_seconds');
    expect(await ages()).toEqual([]);
    age = 12.5;
    expect((await ages()).map((series) => series.value)).toEqual([12.5]);
    one.stream.checkpoint('fenced');
    const series = await scrape(one);
    expect(value(series, 'unskew_checkpoints_total', { outcome: 'fenced' })).toBe(1);
    expect(value(series, 'unskew_checkpoints_total', { outcome: 'saved' })).toBe(0);
  });

  it('have no series if state is in memory only', async () => {
    const names = (await scrape(exporter())).map(({ name }) => name);
    expect(names.filter((name) => name.includes('checkpoint'))).toEqual([]);
  });
});
