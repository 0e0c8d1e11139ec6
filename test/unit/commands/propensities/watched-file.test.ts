import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { readPropensities } from '../../../../src/commands/propensities/stored-propensities.js';
import { readPacked } from '../../../../src/commands/propensities/used-file.js';
import { WatchedFile } from '../../../../src/commands/propensities/watched-file.js';
import { UnskewError } from '../../../../src/errors.js';
import { run } from '../../cli/fake-io.js';
import { writeWorld } from './world.js';

let folder: string;
const at = (name: string) => join(folder, name);
const logged: { level: number; msg: string; version?: string }[] = [];
const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
const readings: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-watched-file-'));
  writeWorld(folder);
  for (const smoothing of ['1', '5']) {
    const argv = ['--kind', 'nb', '--smoothing', smoothing, '--out', at(`${smoothing}.json`)];
    const random = ['--randomized', at('random.ndjson')];
    const { code } = await run(['propensities', at('chosen.ndjson'), ...argv, ...random], BODIES);
    expect(code).toBe(0);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  logged.length = 0;
  readings.length = 0;
});

async function opened(read: typeof readPacked = readPacked): Promise<WatchedFile> {
  copyFileSync(at('1.json'), at('used.json'));
  const file = await WatchedFile.open(at('used.json'), log, read);
  file.onReading = (outcome) => readings.push(outcome);
  return file;
}
/** Replace the file as `unskew propensities` does: write another one, then rename it. */
function replaced(text: string | Buffer): void {
  writeFileSync(at('new.json'), text);
  renameSync(at('new.json'), at('used.json'));
}

describe('a propensity file that a service watches', () => {
  it('is loaded again only when it changes', async () => {
    const file = await opened();
    const before = file.current();
    await file.look();
    expect(file.current()).toBe(before);
    expect(readings).toEqual([]);
    replaced(readFileSync(at('5.json')));
    await file.look();
    await file.look();
    const { version } = await readPropensities(at('5.json'));
    expect(file.current().version).toBe(version);
    expect(readings).toEqual(['taken']);
    expect(logged.map(({ msg }) => msg)).toEqual([
      'propensities file loaded',
      'new propensities file loaded',
    ]);
  });

  it('stays in use if a replacement is bad, with one log line and count each', async () => {
    const file = await opened();
    const before = file.current();
    const bad: [() => void, string][] = [
      [() => replaced('{"schema":"unskew/set@1"}'), 'not a file of `unskew propensities`'],
      [() => truncateSync(at('used.json'), 10), 'not a file of `unskew propensities`'],
      [
        () =>
          replaced(readFileSync(at('5.json'), 'utf8').replace('"smoothing":5', '"smoothing":6')),
        'it was changed or cut short',
      ],
      [() => rmSync(at('used.json')), 'cannot read'],
    ];
    for (const [n, [spoil, message]] of bad.entries()) {
      spoil();
      await file.look();
      await file.look();
      expect(file.current()).toBe(before);
      expect(readings).toEqual(Array.from({ length: n + 1 }, () => 'refused'));
      const line = logged.at(-1)!;
      expect(line.msg).toContain('the old propensities file stays in use');
      expect(line.msg).toContain(message);
      expect(line.version).toBe(before.version);
    }
    expect(logged.filter(({ level }) => level === 50)).toHaveLength(bad.length);
    replaced(readFileSync(at('5.json')));
    await file.look();
    expect(file.current()).not.toBe(before);
  });

  it('is retried a minute after a failed read, even if unchanged', async () => {
    let isAway = false;
    const read = (path: string) =>
      isAway
        ? Promise.reject(new UnskewError('FILE', 'the disk does not answer'))
        : readPacked(path);
    const file = await opened(read);
    isAway = true;
    replaced(readFileSync(at('5.json')));
    const now = Date.now();
    await file.look(now);
    isAway = false;
    await file.look(now + 59_000);
    expect(readings).toEqual(['refused']);
    await file.look(now + 60_000);
    expect(readings).toEqual(['refused', 'taken']);
    expect(file.current().version).toBe((await readPropensities(at('5.json'))).version);
  });

  it('is not logged as new when only its timestamp changed', async () => {
    const file = await opened();
    utimesSync(at('used.json'), 1, 1);
    await file.look();
    expect(readings).toEqual(['taken']);
    expect(logged).toHaveLength(1);
  });

  it('must exist when the service starts', async () => {
    await expect(WatchedFile.open(at('none.json'), log, readPacked)).rejects.toThrow('none.json');
  });
});
