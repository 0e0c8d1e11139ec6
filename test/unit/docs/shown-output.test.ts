import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../../support/examples/documents.js';
import { commandsIn, printed } from '../../support/examples/shell.js';
import { environment, MAIN } from '../../support/program.js';
import { publishedData } from '../../support/published-data.js';

/**
 * What the documents show a command to print it prints: each is run for real, in the order of the
 * documents and in one folder, by the built program. Those that show nothing are not run.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SHOWN = blocksOf(ROOT)
  .filter(({ language }) => language === 'console')
  .flatMap(({ place, text }) => commandsIn(text, true).map((command) => ({ place, ...command })))
  .filter(({ prints }) => prints.length > 0);
const BAD_EVENTS = [
  '{"type":"interaction","id":"x0","ts":0,"user":"u1"}',
  '{"id":1',
  '{"type":"interaction","id":"x1","ts":0,"user":"u1","item":"a"}',
  '{"type":"interaction","id":"x1","ts":1,"user":"u1","item":"b"}',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-shown-'));
  writeFileSync(join(folder, 'bad.ndjson'), `${BAD_EVENTS.join('\n')}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(SHOWN.map((each) => [each.words.slice(1, 3).join(' '), each.place, each] as const))(
  '%s prints what %s shows',
  async (_, __, { words, prints }) => {
    const coat = words.some((word) => /coat/.test(word)) ? publishedData('coat') : '';
    if (coat === undefined) return;
    const args = words.slice(2).map((word) => (word === 'path/to/coat' ? coat : word));
    expect(words.slice(0, 2)).toEqual(['npx', 'unskew']);
    const text = await outputOf(args);
    expect(printed(text, prints), `it prints:\n${text}`).toBe(true);
  },
);

it('knows what is not printed', () => {
  expect(printed('a\nb\nc\n', ['a', '…', 'c'])).toBe(true);
  expect(printed('a\nb\nc\n', ['a', 'c'])).toBe(false);
  expect(printed('a\nb\n', ['b'])).toBe(false);
  expect(printed('a.\n', ['ab'])).toBe(false);
});

/** Both streams, as a terminal shows them. */
async function outputOf(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: environment() });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  await once(child, 'close');
  return text;
}
