import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UnskewError } from '../../../src/errors.js';
import { LineScanner } from '../../../src/events/line-scanner.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { mutated } from '../../support/mutation.js';
import { readAll } from '../../support/read-events.js';
import { repetitions } from '../../support/repetitions.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-csv-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const DECODER = { maxFutureMs: 0 };

/** What reading leaves, or why the file is refused. */
const outcome = (path: string) =>
  readAll(path, DECODER).catch((error: unknown) => {
    if (error instanceof UnskewError) return error.message;
    throw error;
  });

/** Reads a file without the scanner. */
async function decoded(path: string) {
  const knows = vi.spyOn(LineScanner, 'knows').mockReturnValue(false);
  const found = await outcome(path);
  knows.mockRestore();
  return found;
}

/** Ends the first chunk of each file after `whole` bytes, and the others after `size` bytes. */
async function cutChunks(path: string, whole: number, size: number): Promise<void> {
  const file = await open(path);
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const read = prototype.read;
  const begun = new WeakSet<object>();
  vi.spyOn(prototype, 'read').mockImplementation(function (this: object, ...given: unknown[]) {
    const [buffer, offset, length, position] = given as [Buffer, number, number, number | null];
    const most = position !== null ? length : begun.has(this) ? size : whole;
    if (position === null) begun.add(this);
    return read.call(this, buffer, offset, Math.min(length, most), position);
  });
}

const IDS = 'a b u1 u2 i1 i2 i3 été 日本 🙂 ひ null NaN nan n/a <NA> nat 900002.0 1.5 -3 12 1e5'
  .split(' ')
  .concat(['', '\\N', 'a"b', "it's", 'a,b', 'a;b', 'a|b', 'a\tb', 'a\nb', 'a\r\nb', ' x ', '\\"'])
  .concat(['\u00a0x', 'x\u3000', 'x\u2003', '\ufeffx', 'x'.repeat(513), 'long-'.repeat(9)]);
const CELLS: Readonly<Record<string, readonly string[]>> = {
  type: ['exposure', 'interaction', 'interaction', 'exposure', '', 'other', 'Exposure'],
  id: IDS,
  ts: '1600000000000 1700000000001 5 -7 1600000000 1.6e12 0 1e2 007 +5 1600000000000.0 9e15 x null'
    .split(' ')
    .concat(['2024-02-03T04:05:06.789Z', '2024-02-03T04:05+02:00', '2024-02-03 04:05:06', '']),
  user: IDS,
  item: IDS,
  model: ['m', 'm2', 'm', '1.0', 'null', ''],
  action: ['', 'view', 'buy', 'null', '2.0'],
  exposure: IDS,
  request: IDS,
  value: '1 0 -0 0.5 1e3 .5 5. 01 +1 0,5 null NaN 123456789012345678 1e400 x'
    .split(' ')
    .concat(['']),
  randomized: ['', 'true', 'false', 'T', 'f', '1', '0', 'TRUE', 'yes', 'fals'],
  shown: ['', 'true', 'False', '0', '2'],
  sampled: ['', 't', 'F'],
  candidates: ['', '3', '50', '1', '3.5'],
  items: [
    ...[
      'a',
      'a|b|c',
      'a|b|a',
      'a||b',
      'a b',
      '1.0',
      'null|b',
      '5|6',
      '[5]',
      '[1.0, 2]',
      '[]',
      '[',
      '',
    ],
    ...['["a","b"]', '["a", "é" , "c"]', '["a","a"]', '["a",5]', '["a\\u0041"]', '["a"]x', '[""]'],
    ...["['a', 'b']", "['a' 'b']", "['a','1.0']", "['it\\'s']", "['a']", "['...']", '["..."]'],
    ...[
      '[a, b]',
      '[a,b,]',
      '{a,b}',
      '[a b]',
      '[1 2 3]',
      '[null, b]',
      '[a, ...]',
      '[é, b]',
      '(a|b)',
    ],
    ...["array(['a', 'b'], dtype=object)", "[np.str_('a')]", '[ a , b ]', '[nan]', '[-5, 6]'],
  ],
  propensities: ['', '', '[0.5, 0.25]', '[0.5,0.25,1]', '[0.5]', '0.5|0.25', '[1.0 0.5]', '[2, 1]'],
  scores: ['', '', '[0.5, -1e3]', '[1,2,3]', '[null, 1]', '[9e99]', '[1]', '3'],
  firstRank: ['', '', '2', '-1', '0.0'],
  share: ['', '', '0.5', '2'],
  depth: ['', '', '4', '0'],
  propensityOf: ['', '', 'item', 'slot', 'none'],
  received: ['', '', '1700000000002', 'x'],
  segments: ['', '', '{"country":"de"}', 'x'],
  other: IDS,
};
/** What most rows have, so that some are sound. */
const SOUND = ['id', 'ts', 'user', 'item', 'model', 'items', 'type'];
const NAMES = Object.keys(CELLS);

/** A file of some columns in some order, most of its rows sound, with whatever cells may hold. */
function aFile(random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  const delimiter = [',', ',', ';', '\t', '|'][below(5)]!;
  const ending = random() < 0.3 ? '\r\n' : '\n';
  const rare = random() < 0.5 ? 0.02 : 0.2;
  const role = below(3);
  const needed = [SOUND, ['id', 'ts', 'user', 'item'], ['id', 'ts', 'user', 'model', 'items']][
    role
  ]!;
  const names = NAMES.filter(
    (name) => needed.includes(name) || (name !== 'type' && random() < 0.3),
  );
  const isMuddled = names.some((name) => !needed.includes(name) && SOUND.includes(name));
  const columns = isMuddled && role > 0 ? needed : names;
  if (random() < 0.5) columns.sort(() => random() - 0.5);
  const cell = (name: string) => {
    const all = CELLS[name]!;
    const text = all[random() < rare ? below(all.length) : below(Math.min(3, all.length))]!;
    const isBare = !text.includes('"') && !text.includes('\n') && !text.includes(delimiter);
    if (isBare && random() < 0.8)
      return text.trim() === text || random() < 0.5 ? text : text.trim();
    const space = random() < 0.05 ? ' ' : '';
    return random() < 0.01 ? `"${text}` : `${space}"${text.replaceAll('"', '""')}"${space}`;
  };
  const rows = Array.from({ length: 1 + below(30) }, () => {
    const row = columns.map(cell).join(random() < 0.01 ? ` ${delimiter}` : delimiter);
    if (random() < 0.02) return '';
    return random() < 0.002 ? `${row}${delimiter}` : row;
  });
  const mark = random() < 0.1 ? '\ufeff' : '';
  const stated = random() < 0.1 && delimiter !== '::' ? `sep=${delimiter}${ending}` : '';
  const last = random() < 0.8 ? ending : '';
  return `${mark}${stated}${[columns.join(delimiter), ...rows].join(ending)}${last}`;
}

describe('CSV rows read by the scanner', () => {
  it('equal the rows of the decoder for any cells', async () => {
    const taken = vi.spyOn(LineScanner.prototype, 'take');
    const path = join(folder, 'random.csv');
    let rows = 0;
    for (let n = 0; n < repetitions(300, 20_000); n++) {
      const random = mulberry32(n);
      const sound = Buffer.from(aFile(random));
      const bytes = random() < 0.3 ? mutated(sound, sound, random) : sound;
      await writeFile(path, bytes);
      const expected = await decoded(path);
      const found = await outcome(path);
      expect(found, `file ${n}: ${bytes}`).toEqual(expected);
      rows += typeof found === 'string' ? 0 : found.rows.length;
    }
    const bytes = taken.mock.results.reduce(
      (sum, { value }, n) => sum + (value as number) - taken.mock.calls[n]![0],
      0,
    );
    expect(rows).toBeGreaterThan(500);
    // The scanner took most of them.
    expect(bytes).toBeGreaterThan(20 * rows);
  }, 3_600_000);

  it('are the same for any chunk boundaries', async () => {
    const path = join(folder, 'cut.csv');
    for (let n = 0; n < repetitions(4, 100); n++) {
      const bytes = Buffer.from(aFile(mulberry32(1e6 + n)));
      await writeFile(path, bytes);
      const expected = await decoded(path);
      const names = bytes.indexOf('\n', 8) + 1;
      for (let whole = names; whole < bytes.length; whole += 7) {
        await cutChunks(path, whole, 1 + (whole % 61));
        expect(await outcome(path), `file ${n}, cut at ${whole}`).toEqual(expected);
        expect(await decoded(path), `file ${n}, cut at ${whole}`).toEqual(expected);
        vi.restoreAllMocks();
      }
    }
  }, 3_600_000);
});
