import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { readPropensities } from '../../../src/commands/propensities/stored-propensities.js';
import { learnedPropensities } from '../../../src/estimators/propensity/learned-propensities.js';
import type { Manifest } from '../../../src/export/manifest.js';
import { run } from '../cli/fake-io.js';
import { writeWorld } from '../commands/propensities/world.js';

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-export-propensities-'));
  writeWorld(folder);
  const tables = ['--user-features', at('users.csv'), '--item-features', at('items.ndjson')];
  const kinds = { lr: [...tables, '--l2', '0.1'], nb: ['--randomized', at('random.ndjson')] };
  for (const [kind, more] of Object.entries(kinds)) {
    const argv = ['propensities', at('chosen.ndjson'), '--kind', kind, '--out', at(`${kind}.json`)];
    expect((await run([...argv, ...more], BODIES)).code).toBe(0);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly user: string;
  readonly item: string;
  readonly value: number;
  readonly weight: number;
  readonly w_user: number;
  readonly w_item: number;
}

const exported = (name: string, ...more: string[]) =>
  run(['export', '--events', at('chosen.ndjson'), '--out', at(name), ...more], BODIES);

/** Rows of a set that holds the whole held-out part. */
async function wholeSet(name: string, ...more: string[]) {
  const flags = ['--size', '1', '--split', '0.2', '--format', 'ndjson', ...more];
  const { code, stdout, stderr } = await exported(name, ...flags);
  expect(code, stderr).toBe(0);
  const lines = readFileSync(join(at(name), 'test.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const manifest = JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8')) as Manifest;
  return { stdout, rows: lines.map((line) => JSON.parse(line) as Row), manifest };
}

async function refused(what: string, ...argv: string[]): Promise<void> {
  const { code, stderr } = await run(argv, BODIES);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(what)]);
  expect(code).not.toBe(0);
}

/** Shares of the weight of pairs of the four kinds that the world is made of. */
function sharesOf(rows: readonly Row[]): number[] {
  const sums = [0, 0, 0, 0];
  for (const { user, item, weight } of rows) {
    const isYoung = Number(user.slice(1)) % 2 === 0;
    const isRed = Number(item.slice(1)) % 4 === 0;
    sums[2 * Number(isYoung) + Number(isRed)]! += weight;
  }
  const all = sums.reduce((total, each) => total + each, 0);
  return sums.map((each) => each / all);
}

describe('export --propensities', () => {
  it('weights each pair by 1 / P and records the file of propensities', async () => {
    const { stdout, rows, manifest } = await wholeSet('lr', '--propensities', at('lr.json'));
    const { kind, version, date, model } = await readPropensities(at('lr.json'));
    const learned = learnedPropensities(model);
    for (const { user, item, value, weight, w_user, w_item } of rows) {
      const p = learned.propensity(learned.userOf(user), learned.itemOf(item), value);
      expect([weight, w_user * w_item]).toEqual([1 / p, 1 / p]);
    }
    expect(stdout).toContain(`propensities: logistic regression, version ${version}, from`);
    expect(manifest.plan.propensities).toEqual({ kind, version, date });
    expect(manifest.sources.map((source) => source.kind === 'file' && source.role)).toEqual([
      'events',
      'propensities',
    ]);
    expect(readFileSync(join(at('lr'), 'report.html'), 'utf8')).toContain(version);
  });

  it('weights each pair by its rating if the propensities are of kind nb', async () => {
    const { rows } = await wholeSet('nb', '--propensities', at('nb.json'));
    const { model } = await readPropensities(at('nb.json'));
    const learned = learnedPropensities(model);
    expect(new Set(rows.map(({ value }) => value)).size).toBeGreaterThan(3);
    for (const { value, weight } of rows) expect(weight).toBe(1 / learned.propensity(0, 0, value));
  });

  it('comes closer to uniform pairs than counts do if exposure follows taste', async () => {
    const uniform = [3 / 8, 1 / 8, 3 / 8, 1 / 8];
    const off = (rows: readonly Row[]) =>
      Math.max(...sharesOf(rows).map((share, n) => Math.abs(share - uniform[n]!)));
    const byTaste = await wholeSet('taste', '--propensities', at('lr.json'));
    const byCounts = await wholeSet('counts', '--exponent', '1');
    // A cell has some 50 pairs at least: one standard error of its share is .02.
    expect(off(byTaste.rows)).toBeLessThan(0.03);
    expect(off(byCounts.rows)).toBeGreaterThan(0.05);
  });

  it('reproduces a set from its manifest with the unchanged file, also if it moved', async () => {
    const flags = ['--propensities', at('lr.json'), '--seed', '5'];
    expect((await exported('first', ...flags)).code).toBe(0);
    const again = ['export', '--from-manifest', at('first'), '--out'];
    const made = await run([...again, at('again')], BODIES);
    expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
    expect(readFileSync(join(at('again'), 'test.parquet'))).toEqual(
      readFileSync(join(at('first'), 'test.parquet')),
    );
    renameSync(at('lr.json'), at('moved.json'));
    const moved = ['--events', at('chosen.ndjson'), at('moved.json')];
    const found = await run([...again, at('moved'), ...moved], BODIES);
    expect([found.code, found.stderr]).toEqual([0, expect.any(String)]);
    writeFileSync(at('lr.json'), readFileSync(at('nb.json')));
    await refused('has changed since', ...again, at('changed'));
    renameSync(at('moved.json'), at('lr.json'));
  });

  it('leaves out users without a propensity and reports them', async () => {
    const { model: _, ...file } = await readPropensities(at('lr.json'));
    expect(file.counts.users).toBe(60);
    const line = (user: string, n: number) =>
      JSON.stringify({ type: 'interaction', id: `new${user}${n}`, ts: n, user, item: 'i01' });
    const strangers = Array.from({ length: 40 }, (__, n) => line(`stranger${n}`, n));
    writeFileSync(at('strangers.ndjson'), `${strangers.join('\n')}\n`);
    const events = ['--events', at('strangers.ndjson')];
    const flags = ['--propensities', at('lr.json'), '--out', at('none')];
    await refused('of them have no propensity in the file', 'export', ...events, ...flags);
    const both = ['--events', at('chosen.ndjson'), at('strangers.ndjson')];
    const some = ['--size', '0.2', '--format', 'ndjson', '--json'];
    const { code, stdout } = await run(['export', ...both, ...flags, ...some], BODIES);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Manifest).counts.zeroWeight).toBeGreaterThan(5);
    expect(readFileSync(join(at('none'), 'test.ndjson'), 'utf8')).not.toContain('stranger');
    expect(readFileSync(join(at('none'), 'report.html'), 'utf8')).toContain(
      'has no propensity for',
    );
  });

  it.each([
    ['beside another strategy', ['--strategy', 'skew'], 'expected wtd_h'],
    ['with an exponent', ['--exponent', '1'], 'export.exponent would have no effect'],
    ['with smoothing', ['--smoothing', '1'], 'estimates.smoothing would have no effect'],
  ])('is refused %s', async (_, more, what) => {
    const flags = ['--propensities', at('lr.json'), '--out', at('refused'), ...more];
    await refused(what, 'export', '--events', at('chosen.ndjson'), ...flags);
  });

  it('fails without a set if the file is not one of propensities', async () => {
    const flags = ['--propensities', at('users.csv'), '--out', at('bad')];
    await refused('not a file of', 'export', '--events', at('chosen.ndjson'), ...flags);
  });
});
