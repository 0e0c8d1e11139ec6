import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { encodeEvent, type InteractionEvent } from '../../../src/events/encode.js';
import type { Manifest } from '../../../src/export/manifest.js';
import { run } from '../cli/fake-io.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const unskew = (...argv: string[]) => run(['export', ...argv], BODIES);
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8')) as Manifest;

function interactions(count: number, more: Partial<InteractionEvent> = {}): InteractionEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    type: 'interaction',
    id: `e${n}`,
    ts: 1_750_000_000_000 + n * 1000,
    user: `u${n % 23}`,
    item: `i${(n * n) % 31}`,
    ...more,
  }));
}

function write(name: string, events: readonly InteractionEvent[]): string {
  const text = events.map((event) => `${encodeEvent(event)}\n`).join('');
  writeFileSync(at(name), name.endsWith('.gz') ? gzipSync(text) : text);
  return at(name);
}

describe('export', () => {
  it('keeps the rewarded click of a pair rather than the view before it', async () => {
    const clicks = interactions(100);
    const views = clicks.map((row) => ({
      ...row,
      id: `v${row.id}`,
      ts: Number(row.ts) - 1,
      action: 'view',
    }));
    const events = write('events.ndjson', [...views, ...clicks]);
    const actionsOf = async (name: string, ...more: string[]) => {
      const to = ['--out', at(name), '--strategy', 'full', '--format', 'csv'];
      const { code, stderr } = await unskew('--events', events, ...to, ...more);
      expect(code, stderr).toBe(0);
      const [head, ...rows] = readFileSync(join(at(name), 'test.csv'), 'utf8')
        .trim()
        .split('\n');
      const place = head!.split(',').indexOf('action');
      return new Set(rows.map((row) => row.split(',')[place]));
    };
    expect(await actionsOf('default')).toEqual(new Set(['"click"']));
    expect(manifestOf('default').plan.actions).toEqual({ view: 0, click: 1, purchase: 5 });
    expect(await actionsOf('all', '--actions', '{}')).toEqual(new Set(['"view"']));
  });

  it('writes a set with a manifest that accounts for every event', async () => {
    const events = write('events.ndjson', interactions(400));
    writeFileSync(events, `${readFileSync(events, 'utf8')}{"type":"interaction"}\nnot json\n`);
    const { code, stdout } = await unskew(
      '--events',
      events,
      '--out',
      at('set'),
      '--format',
      'csv',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('402 events, 400 interactions');
    const { counts, files, sources } = manifestOf('set');
    expect(counts.faults).toEqual({ missing_field: 1, not_json: 1 });
    const { leftOut, pairs } = counts;
    expect(counts.interactions).toBe(
      pairs.train + pairs.test + leftOut.duplicate + leftOut.repeated + leftOut.inTrain,
    );
    expect(counts.drawn).toBe(Math.round(pairs.test / 2));
    expect(sources).toMatchObject([{ kind: 'file', role: 'events', path: events }]);
    const lines = readFileSync(join(at('set'), 'test.csv'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(1 + counts.drawn);
    expect(files.map(({ name }) => name)).toContain('test.csv');
    expect(readdirSync(at('set')).sort()).toEqual(
      ['manifest.json', ...files.map(({ name }) => name)].sort(),
    );
  });

  it('reproduces a set byte for byte from its manifest, also from moved events', async () => {
    const events = write('events.ndjson', interactions(400));
    await unskew('--events', events, '--out', at('one'), '--seed', '7', '--with-train');
    const moved = at('moved.ndjson');
    writeFileSync(moved, readFileSync(events));
    rmSync(events);
    const lost = await unskew('--from-manifest', at('one'), '--out', at('two'));
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain('no such file');
    const again = await unskew('--from-manifest', at('one'), '--events', moved, '--out', at('two'));
    expect(again.code).toBe(0);
    for (const name of ['manifest.json', ...manifestOf('one').files.map((file) => file.name)]) {
      expect(readFileSync(join(at('two'), name))).toEqual(readFileSync(join(at('one'), name)));
    }
  });

  it('refuses to reproduce a set from changed events', async () => {
    const events = write('events.ndjson', interactions(400));
    await unskew('--events', events, '--out', at('one'));
    write('events.ndjson', interactions(401));
    const { code, stderr } = await unskew('--from-manifest', at('one'), '--out', at('two'));
    expect(code).toBe(1);
    expect(stderr).toContain('has changed since the set was made from it');
    expect(existsSync(at('two'))).toBe(false);
  });

  it('gives the same bytes for events in another order, in several files or gzipped', async () => {
    const events = interactions(400);
    const one = write('one.ndjson', events);
    const odd = write('odd.ndjson.gz', events.filter((_, n) => n % 2 === 1).reverse());
    const even = write(
      'even.ndjson',
      events.filter((_, n) => n % 2 === 0),
    );
    await unskew('--events', one, '--out', at('straight'));
    await unskew('--events', odd, even, '--out', at('mixed'), '--memory', '1B');
    const bytes = (name: string) => readFileSync(join(at(name), 'test.parquet'));
    expect(bytes('mixed').equals(bytes('straight'))).toBe(true);
    await unskew('--events', one, '--out', at('other'), '--seed', '2');
    expect(bytes('other').equals(bytes('straight'))).toBe(false);
  });

  it('verifies a set and names a file that is changed, missing or damaged', async () => {
    const events = write('events.ndjson', interactions(400));
    await unskew('--events', events, '--out', at('set'), '--format', 'ndjson');
    expect((await unskew('--verify', at('set'))).code).toBe(0);
    const file = join(at('set'), 'test.ndjson');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"u', '"v'));
    const changed = await unskew('--verify', at('set'));
    expect(changed.code).toBe(1);
    expect(changed.stderr).toMatch(/test\.ndjson: SHA-256 is [0-9a-f]{64}, expected/);
    writeFileSync(file, text.slice(1));
    expect((await unskew('--verify', at('set'))).stderr).toMatch(
      /test\.ndjson: \d+ bytes, expected/,
    );
    rmSync(file);
    expect((await unskew('--verify', at('set'))).stderr).toContain('no such file');
    writeFileSync(join(at('set'), 'manifest.json'), '{"schema":');
    expect((await unskew('--verify', at('set'))).stderr).toContain('it is damaged');
  });

  it('exports events from --from (inclusive) to --to (exclusive)', async () => {
    const events = write('events.ndjson', interactions(100));
    const [from, to] = [1_750_000_010_000, 1_750_000_060_000].map((ms) =>
      new Date(ms).toISOString(),
    );
    await unskew('--events', events, '--from', from, '--to', to, '--out', at('set'));
    const { counts, plan } = manifestOf('set');
    expect(counts).toMatchObject({ interactions: 50, outsideRange: 50 });
    expect(plan).toMatchObject({ from: 1_750_000_010_000, to: 1_750_000_060_000 });
  });

  it('takes counts from train events and excludes their pairs from the set', async () => {
    const train = write('train.ndjson', interactions(200));
    const held = interactions(300).map((event) => ({ ...event, id: `h${event.id}` }));
    const events = write('events.ndjson', held);
    await unskew('--train', train, '--events', events, '--out', at('set'), '--size', '1');
    const { counts, plan } = manifestOf('set');
    expect(plan.split).toBeNull();
    expect(counts.leftOut.inTrain).toBeGreaterThan(0);
    const pairs = new Set(interactions(300).map(({ user, item }) => `${user} ${item}`));
    expect(counts.pairs.train + counts.drawn).toBe(pairs.size);
  });
});

describe('export fails with one line and writes no set', () => {
  it.each([
    [
      'an empty range',
      ['--from', '2030-01-01'],
      1,
      /no interaction from 2030-01-01T00:00:00.000Z on/,
    ],
    [
      'a size above the number of rows',
      ['--size', '5000'],
      1,
      /5000 rows were requested, but only \d+ can be drawn/,
    ],
    ['a size below one row', ['--size', '0.0001'], 1, /the requested size is less than one row/],
    ['no randomised traffic', ['--strategy', 'wtd'], 1, /wtd takes its targets from randomised/],
    [
      'a size that is not a whole number',
      ['--size', '2.5'],
      2,
      /a share of at most 1 or a whole number of rows/,
    ],
    ['an unknown strategy', ['--strategy', 'wtdh'], 2, /expected one of wtd_h, wtd/],
    ['an exponent for skew', ['--strategy', 'skew', '--exponent', '1'], 2, /skew has no exponent/],
    ['smoothing for reg', ['--strategy', 'reg', '--smoothing', '1'], 2, /reg uses no counts/],
    ['a size for full', ['--strategy', 'full', '--size', '0.5'], 2, /full keeps every row/],
    [
      'a range that ends before it starts',
      ['--from', '9', '--to', '8'],
      2,
      /--from must be before --to/,
    ],
    ['a time without a zone', ['--from', '2030-01-01T00:00'], 2, /ISO 8601 time with a time zone/],
    ['--with-train on the train part', ['--part', 'train', '--with-train'], 2, /is the train part/],
    [
      'an option for Kafka only',
      ['--allow-missing'],
      2,
      /--allow-missing only has an effect on Kafka/,
    ],
  ])('for %s', async (_, flags, expected, message) => {
    const events = write('events.ndjson', interactions(50));
    const { code, stderr } = await unskew('--events', events, '--out', at('set'), ...flags);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(expected);
    expect(existsSync(at('set'))).toBe(false);
  });

  it('if a weight of 0 leaves too few rows', async () => {
    const alone = interactions(60).map((event, n) => ({ ...event, item: `only${n}` }));
    const events = write('events.ndjson', alone);
    const { code, stderr } = await unskew(
      '--events',
      events,
      '--out',
      at('set'),
      '--smoothing',
      '0',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/rows were requested, but only 0 can be drawn: .* have a weight of 0/);
  });

  it('if a set exists already, which stays unchanged', async () => {
    const events = write('events.ndjson', interactions(50));
    await unskew('--events', events, '--out', at('set'));
    const before = readFileSync(join(at('set'), 'manifest.json'));
    const { code, stderr } = await unskew('--events', events, '--out', at('set'), '--seed', '2');
    expect(code).toBe(1);
    expect(stderr).toContain('already contains a test set');
    expect(readFileSync(join(at('set'), 'manifest.json'))).toEqual(before);
  });

  it('if it is interrupted', async () => {
    const events = write('events.ndjson', interactions(50));
    const stop = AbortSignal.abort();
    const argv = ['export', '--events', events, '--out', at('set')];
    const { code, stderr } = await run(argv, BODIES, {}, stop);
    expect(code).toBe(1);
    expect(stderr).toContain('interrupted');
    expect(existsSync(at('set'))).toBe(false);
  });
});
