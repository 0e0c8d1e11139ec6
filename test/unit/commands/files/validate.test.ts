import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ValidateOptions, validateFiles } from '../../../../src/commands/files/validate.js';
import { UnskewError } from '../../../../src/errors.js';
import { METARANK } from '../../../../src/events/mapping/metarank.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-validate-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const click = (id: string, more = '') =>
  `{"type":"interaction","id":"${id}","ts":1,"user":"u","item":"a"${more}}`;
const list = (id: string) =>
  `{"type":"exposure","id":"${id}","ts":1,"user":"u","model":"m","items":["a"]}`;

async function validate(
  content: string | Buffer,
  options: ValidateOptions = {},
  name = 'f.ndjson',
) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const lines: string[] = [];
  const counts = await validateFiles([path], options, (line) => lines.push(line));
  return { lines: lines.map((line) => line.replace(folder, '')), counts };
}

describe('validateFiles', () => {
  it('reports each invalid event with its line and reason', async () => {
    const { lines, counts } = await validate(
      [click('1'), '', list('2'), '{"type":', click('3', ',"value":"x"'), '\r', click('4')].join(
        '\n',
      ),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^\/f\.ndjson:4: not_json: it is not JSON/),
      '/f.ndjson:5: wrong_type: value: expected a number, found the string "x"',
      'not_json: 1',
      'wrong_type: 1',
      '5 events in 1 file: 1 exposure, 2 interactions, 2 invalid',
    ]);
    expect(counts).toEqual({
      files: 1,
      events: 5,
      exposures: 1,
      interactions: 2,
      ignored: 0,
      faulty: 2,
      faults: { not_json: 1, wrong_type: 1 },
    });
  });

  it('accepts Windows line ends, a missing last line end, and gzip', async () => {
    const text = `${click('1')}\r\n\r\n${click('2')}\r\n${list('3')}`;
    for (const [content, name] of [
      [text, 'crlf.ndjson'],
      [gzipSync(text), 'crlf.ndjson.gz'],
    ] as const) {
      const { lines } = await validate(content, {}, name);
      expect(lines).toEqual(['3 events in 1 file: 1 exposure, 2 interactions, 0 invalid']);
    }
  });

  it('finds repeated ids, also between interactions and lists', async () => {
    const { lines, counts } = await validate([click('x'), click('y'), list('x')].join('\n'));
    expect(lines[0]).toBe('/f.ndjson:3: repeated_id: an earlier event has the same id "x"');
    expect(counts.faults).toEqual({ repeated_id: 1 });
  });

  it('says how many ids it could not check for repeats', async () => {
    const { lines } = await validate([click('x'), click('y'), click('z')].join('\n'), {
      maxIds: 1,
    });
    expect(lines[0]).toMatch(/^2 ids not checked for duplicates, /);
  });

  it('reports a line above the size limit as oversized and continues', async () => {
    const long = click('1', `,"note":"${'x'.repeat(500_000)}"`);
    const { lines } = await validate([long, click('2')].join('\n'), { maxEventBytes: 1000 });
    expect(lines[0]).toBe('/f.ndjson:1: oversized: the event has more than 1000 bytes');
    expect(lines.at(-1)).toBe('2 events in 1 file: 0 exposures, 1 interaction, 1 invalid');
  });

  it('lists at most maxReported invalid events and counts the rest', async () => {
    const { lines, counts } = await validate('x\n'.repeat(7), { maxReported: 2 });
    expect(lines.length).toBe(5);
    expect(lines[2]).toBe('… and 5 more');
    expect(counts.faults).toEqual({ not_json: 7 });
  });

  it('rejects future timestamps only if a reference time is given', async () => {
    const ahead = '{"type":"interaction","id":"1","ts":99999999999999,"user":"u","item":"a"}';
    expect((await validate(ahead)).counts.faulty).toBe(0);
    const { counts } = await validate(ahead, { referenceTs: 0 });
    expect(counts.faults).toEqual({ future_timestamp: 1 });
  });

  it('counts events that the mapping ignores', async () => {
    const { lines } = await validate('{"event":"item","id":"1"}\n', { mapping: METARANK });
    expect(lines).toEqual(['1 event in 1 file: 0 exposures, 0 interactions, 1 ignored, 0 invalid']);
  });

  it('rejects a missing file with an error that names it', async () => {
    const path = join(folder, 'none.ndjson');
    await expect(validateFiles([path], {}, () => {})).rejects.toThrow(UnskewError);
    await expect(validateFiles([path], {}, () => {})).rejects.toThrow(/none\.ndjson/);
  });
});
