import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { duckdb } from '../../../support/parquet-file.js';
import { run } from '../../cli/fake-io.js';

/** A model name that breaks a CSV file without quoting. */
const HOSTILE = 'a,"b"\nc;=1+1';

interface Told {
  readonly results: readonly Printed[];
  readonly differences: readonly Printed[];
  readonly segments: { readonly results: readonly Cut[]; readonly uncaused: readonly Cut[] };
  readonly feedback: { readonly uncaused: Pick<Told, 'results' | 'differences'> };
  readonly onPolicy: { readonly values: readonly Printed[] };
  readonly verdict: readonly { readonly text: string }[];
  readonly experiment: {
    readonly lifts: readonly Readonly<Record<'difference' | 'lower' | 'upper', number>>[];
  };
}
type Printed = Readonly<Record<string, string | number | null>>;
type Cut = Printed & { readonly difference: Printed | null };
type Columns = Readonly<Record<string, string | number | boolean | bigint | null>>;

let folder: string;
let told: Told;
const at = (name: string) => join(folder, name);
const evaluated = (...more: string[]) =>
  run(
    [
      'evaluate',
      '--train',
      at('train.ndjson'),
      '--events',
      at('events.ndjson'),
      '--metrics',
      'recall',
      '--k',
      '5',
      '--estimators',
      'naive,snips',
      '--segments-built-in',
      'item_popularity',
      ...more,
    ],
    BODIES,
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-result-'));
  const shape = ['--arms', '2', '--caused', '0.5', '--cycles', '2', '--users', '200'];
  const { code, stderr } = await run(['simulate', '--out', folder, ...shape], BODIES);
  expect(code, stderr).toBe(0);
  for (const name of ['train.ndjson', 'events.ndjson']) {
    const text = readFileSync(at(name), 'utf8');
    writeFileSync(at(name), text.replaceAll('"personal"', JSON.stringify(HOSTILE)));
  }
  for (const name of ['r.csv', 'r.csv.gz', 'r.parquet']) {
    const { code, stdout, stderr } = await evaluated('--json', '--out', at(name));
    expect(code, stderr).toBe(0);
    told = JSON.parse(stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rowsOf(source: string, where = 'true'): Promise<Columns[]> {
  const reader = await (await duckdb()).runAndReadAll(`select * from ${source} where ${where}`);
  return reader.getRowObjects() as Columns[];
}

const from = (name: string) => `'${at(name)}'`;
const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
const SAME = ['model', 'metric', 'estimator', 'aggregation'] as const;
const SIZES = ['value', 'lower', 'upper', 'users', 'ess', 'k'] as const;
const ofTable = (row: Columns) =>
  JSON.stringify([
    ...SAME.map((name) => row[name]),
    ...SIZES.map((name) => number(row[name])),
    number(row['std_err']),
    row['reference'],
  ]);
const ofPrinted = (row: Printed) =>
  JSON.stringify([
    ...SAME.map((name) => row[name]),
    ...SIZES.map((name) => number(row[name])),
    number(row['stdErr']),
    row['reference'] ?? null,
  ]);

describe('evaluate --out', () => {
  it('writes every estimate and difference that is printed', async () => {
    const kept = await rowsOf(from('r.parquet'), "family not in ('verdict', 'uncaused')");
    const whole = kept.filter(({ dimension }) => dimension === null);
    const own = whole.filter(({ family }) => family !== 'on_policy').map(ofTable);
    expect(own.sort()).toEqual([...told.results, ...told.differences].map(ofPrinted).sort());
    const shown = whole.filter(({ family }) => family === 'on_policy');
    expect(shown.map(({ model, value }) => ({ model, value }))).toEqual(
      told.onPolicy.values.map(({ model, value }) => ({ model, value })),
    );
    const uncaused = (await rowsOf(from('r.parquet'), "family = 'uncaused'")).map(ofTable);
    const { results, differences } = told.feedback.uncaused;
    expect(uncaused.length).toBeGreaterThan(10);
    expect(uncaused.sort()).toEqual([...results, ...differences].map(ofPrinted).sort());
    const families = new Set(kept.map(({ family }) => family));
    expect([...families].sort()).toEqual(['estimates', 'on_policy', 'uncaused_segments', 'values']);
  });

  it('writes the estimates and differences of every segment', async () => {
    const kept = await rowsOf(from('r.parquet'), 'dimension is not null');
    const cuts = [...told.segments.results, ...told.segments.uncaused];
    expect(cuts.length).toBeGreaterThan(10);
    const wanted = cuts.flatMap((row) => {
      const place = [row['dimension'], row['kind'], row['model'], row['estimator']];
      const own = [...place, null, row['estimate'] ?? null, row['share']];
      const { difference } = row;
      if (difference === null) return [own];
      return [own, [...place, difference['reference'], difference['value'], row['share']]];
    });
    const found = kept.map((row) => [
      row['dimension'],
      row['segment_kind'],
      row['model'],
      row['estimator'],
      row['reference'],
      row['value'],
      row['share'],
    ]);
    const texts = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(texts(found)).toEqual(texts(wanted));
    const names = new Set(kept.map(({ segment }) => segment));
    expect([...names].sort()).toEqual(['head', 'middle', 'tail']);
  });

  it('writes each verdict with the sentence that is printed', async () => {
    const kept = await rowsOf(from('r.parquet'), "family = 'verdict'");
    const texts = told.verdict.map(({ text }) => text);
    // Pairs that are not printed, because a test answers them, keep the reason for no verdict.
    const isPrinted = ({ withheld }: Columns) => withheld === null;
    const printed = kept.filter(isPrinted).map(({ sentence }) => sentence);
    expect(printed.sort()).toEqual(texts.sort());
    for (const row of kept.filter((own) => !isPrinted(own))) {
      expect(row['sentence']).toMatch(/^No verdict on /);
    }
    const [lift] = told.experiment.lifts;
    const [preferred] = kept.filter(({ verdict }) => verdict === 'prefer');
    expect(preferred).toMatchObject({
      model: 'blend',
      better: HOSTILE,
      reference: HOSTILE,
      verdict: 'prefer',
      rests_on: 'experiment',
      status: null,
      value: lift!.difference,
      lower: lift!.lower,
      upper: lift!.upper,
    });
    expect(preferred!['sentence']).toMatch(/^blend loses to a,.+: .* clicks per user, −\d/s);
  });

  it('writes the same rows as CSV, gzipped or not, with special characters in names', async () => {
    const parquet = await rowsOf(from('r.parquet'));
    const types = "{'pane_end': 'TIMESTAMPTZ', 'window_from': 'TIMESTAMPTZ'}";
    for (const name of ['r.csv', 'r.csv.gz']) {
      const csv = await rowsOf(`read_csv(${from(name)}, types = ${types})`);
      expect(Object.keys(csv[0]!)).toEqual(Object.keys(parquet[0]!));
      expect(csv.map(ofTable)).toEqual(parquet.map(ofTable));
      const more = (row: Columns) => [String(row['window_from']), row['segment'], row['sentence']];
      expect(csv.map(more)).toEqual(parquet.map(more));
    }
    const [header] = readFileSync(at('r.csv'), 'utf8').split('\n', 1);
    expect(header).toMatch(/^pane_end,window,window_from,window_to,family,model,/);
  });

  it('refuses other extensions, missing folders and files that it reads', async () => {
    const before = readdirSync(folder).sort();
    const other = await evaluated('--out', at('r.json'));
    expect(other.stderr).toContain('r.json: the name must end in .parquet, .csv or .csv.gz');
    const own = await run(
      ['evaluate', at('r.parquet'), '--out', `${folder}/../${folder.split('/').at(-1)}/r.parquet`],
      BODIES,
    );
    expect(own.stderr).toContain('--out would write its table over the event file');
    const nowhere = await evaluated('--out', at('missing/r.csv'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('no such file')]);
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
