import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, RunningService, unskew } from '../support/program.js';
import { needsData, publishedData } from '../support/published-data.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';
import type { ParsedSeries } from '../unit/prometheus/exposition.js';

const TOLERANCE = 1e-9;
/** Partitions, and bytes that are fetched of one at a time: the short form has those of many parts. */
const COAT = [
  [1, '1MiB'],
  [3, '20KiB'],
  [8, '200KiB'],
] as const;
const SIMULATED = IS_LONG
  ? ([
      [2, '1MiB'],
      [6, '10KiB'],
    ] as const)
  : ([[6, '10KiB']] as const);
const FIELDS = [
  ['', 'value'],
  ['_stderr', 'stdErr'],
  ['_lower', 'lower'],
  ['_upper', 'upper'],
] as const;

interface EvaluationRow {
  model: string;
  metric: string;
  k: number | null;
  estimator: string;
  aggregation: string;
  value: number;
  stdErr: number;
  lower: number;
  upper: number;
  withheld: string | null;
}

interface EvaluationObject {
  window: { name: string; from: number; to: number };
  counts: Record<string, number>;
  propensity: { gamma: number };
  popularity: {
    interactions: Record<string, number>;
    exposures: Record<string, Record<string, number>>;
  };
  results: EvaluationRow[];
}

function labelled(series: ParsedSeries[], name: string, labels: Record<string, string>): number[] {
  return series
    .filter((s) => s.name === name && Object.entries(labels).every(([k, v]) => s.labels[k] === v))
    .map(({ value }) => value);
}

/** How far the scrape is from the evaluation, over every number that both give. */
function farthest(series: ParsedSeries[], evaluation: EvaluationObject, window: string): number {
  let farthest = 0;
  const compare = (name: string, labels: Record<string, string>, wanted: number) => {
    const found = labelled(series, name, labels);
    expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
    farthest = Math.max(farthest, Math.abs(found[0]! - wanted));
  };
  for (const row of evaluation.results) {
    const { model, metric, estimator, aggregation } = row;
    const labels = { model, metric, k: String(row.k ?? ''), estimator, aggregation, window };
    for (const [suffix, field] of FIELDS) {
      const name = `unskew_estimate${suffix}`;
      if (row.withheld === null) compare(name, labels, row[field]);
      else expect(labelled(series, name, labels), `${name} ${model}`).toEqual([]);
    }
  }
  const { interactions, exposures } = evaluation.popularity;
  const all = { stream: 'interactions' };
  compare('unskew_popularity_gini', all, interactions['gini']!);
  compare('unskew_popularity_hhi', all, interactions['hhi']!);
  compare('unskew_popularity_coverage_ratio', all, interactions['coverage']!);
  compare('unskew_popularity_entropy', all, interactions['entropy']!);
  for (const [model, { total, gini }] of Object.entries(exposures)) {
    const shown = { stream: 'exposures', model };
    // Of a model that shows nothing there is no concentration to export.
    if (total === 0) expect(labelled(series, 'unskew_popularity_gini', shown)).toEqual([]);
    else compare('unskew_popularity_gini', shown, gini!);
  }
  return farthest;
}

const NOT_EVENTS = [
  '{"type":"interaction","id":"cut',
  'null',
  '[]',
  '{"id":"a","ts":1,"user":"u"}',
  '{"id":"a","ts":"yesterday","user":"u","item":"i"}',
  '{"id":"a","ts":1451606400000,"user":"\\ud800","item":"i"}',
  '{"id":"a","ts":99999999999999,"user":"u","item":"i"}',
  `{"id":"a","ts":1,"user":"${'u'.repeat(600)}","item":"i"}`,
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  '['.repeat(200_000),
];

/** A service that reads a log of files, with records between them that are not events. */
async function served(
  files: string[],
  partitions: number,
  settings: Record<string, string>,
): Promise<{ series: ParsedSeries[]; events: number; letters: number }> {
  const topics = await TestTopics.create(kafkaBrokers, partitions);
  const broken = NOT_EVENTS.map((value, n) => ({ value, partition: n % partitions, key: null }));
  await topics.send('interactions', broken);
  const events = await topics.sendFiles(files);
  await topics.send('interactions', broken);
  const service = await RunningService.start(['serve'], { ...topics.settings, ...settings });
  try {
    await eventually(
      'every event to be accepted',
      () => service.scrape(),
      (series) =>
        labelled(series, 'unskew_events_total', { outcome: 'accepted' }).reduce(
          (a, b) => a + b,
          0,
        ) === events,
    );
    // All is read; once the partitions are silent the pane of the newest event closes.
    const series = await eventually(
      'estimates',
      () => service.scrape(),
      (seen) => labelled(seen, 'unskew_estimate', {}).length > 0,
    );
    const letters = await eventually(
      'two letters for each broken record',
      async () =>
        labelled(await service.scrape(), 'unskew_dead_letters_total', { outcome: 'written' })[0]!,
      (written) => written === 2 * broken.length,
    );
    return { series, events, letters };
  } finally {
    expect(await service.stop()).toBe(0);
    await topics.delete();
  }
}

/** Each record that is not an event has been counted by what is wrong with it, and put aside. */
function expectRefused(series: ParsedSeries[], letters: number): void {
  expect(letters).toBe(2 * NOT_EVENTS.length);
  for (const reason of ['not_json', 'invalid_utf8', 'ill_formed_id', 'future_timestamp']) {
    const counted = labelled(series, 'unskew_events_total', { outcome: reason });
    expect(Math.max(...counted), reason).toBeGreaterThan(0);
  }
}

describe('/metrics equals evaluate and replay on the same events', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unskew-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const settings = {
    UNSKEW_TIME_TICK: '6h',
    UNSKEW_TIME_WINDOWS: '10d',
    UNSKEW_TIME_IDLE: '1500ms',
    UNSKEW_DEDUPE_TTL: '30d',
    UNSKEW_POPULARITY_HORIZON: '100d',
  };

  async function offline(files: string[], more: Record<string, string>) {
    const evaluated = await unskew(['evaluate', '--json', '--events', ...files], {
      ...settings,
      ...more,
    });
    expect(evaluated.stderr).toBe('');
    const evaluation = JSON.parse(evaluated.stdout) as EvaluationObject;
    for (const partitions of ['1', '5']) {
      const replayed = await unskew(
        ['replay', '--json', '--partitions', partitions, '--events', ...files],
        { ...settings, ...more },
      );
      const last = JSON.parse(replayed.stdout.trim().split('\n').at(-1)!) as EvaluationObject;
      expect(last.results).toHaveLength(evaluation.results.length);
      last.results.forEach((row, n) => {
        expect(Math.abs(row.value - evaluation.results[n]!.value)).toBeLessThan(TOLERANCE);
        expect(Math.abs(row.stdErr - evaluation.results[n]!.stdErr)).toBeLessThan(TOLERANCE);
      });
    }
    return evaluation;
  }

  const data = IS_LONG ? publishedData('coat') : undefined;
  const ofCoat = 'for Coat over several partitions with malformed records';
  const itOfCoat = IS_LONG ? it : () => {};
  itOfCoat(ofCoat, needsData('coat'), async () => {
    const file = join(folder, 'coat.ndjson');
    expect((await unskew(['import', 'coat', data!, '--out', file])).code).toBe(0);
    const more = {
      UNSKEW_POSITIVE_MIN_VALUE: '4',
      UNSKEW_POPULARITY_OF: 'all',
      UNSKEW_ESTIMATES_METRICS: 'recall,dcg,mrr,ndcg',
      UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips,gs,skew,wtd_h,ips,ure',
    };
    const evaluation = await offline([file], more);
    expect(evaluation.results.length).toBeGreaterThan(20);
    for (const [partitions, bytes] of COAT) {
      const { series, letters } = await served([file], partitions, {
        ...settings,
        ...more,
        UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: bytes,
      });
      expect(farthest(series, evaluation, '10d')).toBeLessThan(TOLERANCE);
      expectRefused(series, letters);
    }
  });

  it('for a simulated log with randomised sessions and malformed records', async () => {
    const simulated = await unskew([
      'simulate',
      '--out',
      folder,
      '--users',
      '300',
      '--cycles',
      '4',
      '--seed',
      '5',
      '--randomized-share',
      '0.1',
    ]);
    expect(simulated.stderr).toBe('');
    const files = [join(folder, 'train.ndjson'), join(folder, 'events.ndjson')];
    const evaluation = await offline(files, {});
    for (const [partitions, bytes] of SIMULATED) {
      const { series, letters } = await served(files, partitions, {
        ...settings,
        UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: bytes,
      });
      expect(farthest(series, evaluation, '10d')).toBeLessThan(TOLERANCE);
      expectRefused(series, letters);
    }
  });
});
