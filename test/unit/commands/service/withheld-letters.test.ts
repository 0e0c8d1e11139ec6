import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deadLetterSink } from '../../../../src/commands/service/dead-letter-sink.js';
import { loadConfig } from '../../../../src/config.js';
import { Patience } from '../../../../src/stream/patience.js';

const SECRET = 'ann@example.com';
const letter = {
  reason: 'wrong_type',
  detail: `user: expected text, found the string "${SECRET}"`,
  topic: 'clicks',
  partition: 3,
  offset: 71,
  value: Buffer.from(`{"user":["${SECRET}"]}`),
};

async function kept(payload: 'keep' | 'withhold'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-letters-'));
  const file = join(folder, 'letters.ndjson');
  const overrides = { 'deadLetters.to': file };
  const config = loadConfig({
    file: undefined,
    env: {},
    overrides: { ...overrides, 'deadLetters.payload': payload },
  });
  const connection = { brokers: ['kafka:9092'], clientId: 'unskew' } as never;
  const sink = deadLetterSink(config, connection, new Patience());
  await sink!.write([letter]);
  await sink!.close();
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  return text;
}

it('a dead letter keeps reason and offset, but no byte of a withheld payload', async () => {
  const text = await kept('withhold');
  expect(text).not.toContain('ann');
  expect(text).not.toContain(letter.value.toString('base64').slice(0, 12));
  expect(JSON.parse(text)).toEqual({
    reason: 'wrong_type',
    topic: 'clicks',
    partition: 3,
    offset: 71,
    detail: `withheld, ${letter.value.length} bytes`,
    value: '',
    text: '',
  });
  expect(await kept('keep')).toContain('ann');
});
