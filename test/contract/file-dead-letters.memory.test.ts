import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileDeadLetters } from '../../src/adapters/files/dead-letters.js';
import { Patience } from '../../src/stream/patience.js';
import { type DeadLetterHarness, deadLetterSinkContract } from './dead-letter-sink.js';

interface Entry {
  reason: string;
  detail: string;
  topic: string;
  partition: number;
  offset: number;
  value: string;
  text?: string;
}

async function fileHarness(): Promise<DeadLetterHarness & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-dead-letters-'));
  const path = join(folder, 'dead.ndjson');
  const sink = new FileDeadLetters(path, new Patience());
  return {
    path,
    sink,
    kept: async () => {
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      return lines.map((line) => {
        const { text: _text, ...entry } = JSON.parse(line) as Entry;
        return { ...entry, value: Uint8Array.from(Buffer.from(entry.value, 'base64')) };
      });
    },
    close: async () => {
      await sink.close();
      await rm(folder, { recursive: true });
    },
  };
}

deadLetterSinkContract('a file', fileHarness);

const at = { reason: 'not_json', detail: '', topic: 't', partition: 0, offset: 0 };

it('a dead-letter file holds the text of a letter only if its bytes are UTF-8', async () => {
  const harness = await fileHarness();
  await harness.sink.write([
    { ...at, value: Buffer.from('{"é":') },
    { ...at, value: Uint8Array.of(0xc3) },
  ]);
  const lines = (await readFile(harness.path, 'utf8')).trimEnd().split('\n');
  const [readable, unreadable] = lines.map((line) => JSON.parse(line) as Entry);
  expect(readable?.text).toBe('{"é":');
  expect(unreadable).not.toHaveProperty('text');
  await harness.close();
});

it('a dead-letter file is appended to by later runs', async () => {
  const harness = await fileHarness();
  await harness.sink.write([{ ...at, value: Buffer.from('first') }]);
  await harness.sink.close();
  const again = new FileDeadLetters(harness.path, new Patience());
  await again.write([{ ...at, value: Buffer.from('second') }]);
  await again.close();
  const kept = await harness.kept();
  expect(kept.map(({ value }) => Buffer.from(value).toString())).toEqual(['first', 'second']);
  await harness.close();
});

it('a dead-letter file that cannot be written is rejected at each attempt', async () => {
  const patience = new Patience();
  patience.end();
  const sink = new FileDeadLetters('/nowhere/at/all/dead.ndjson', patience);
  const write = () => sink.write([{ ...at, value: Buffer.from('x') }]);
  await expect(write()).rejects.toMatchObject({ code: 'FILE' });
  await expect(write()).rejects.toThrow('cannot write /nowhere/at/all/dead.ndjson: no such file');
  await sink.close();
});
