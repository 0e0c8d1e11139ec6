import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import { runCommandLine } from '../../src/commands/cli/cli.js';
import { blocksOf } from '../support/examples/documents.js';
import { commandsIn, printed } from '../support/examples/shell.js';
import { needsData, publishedData } from '../support/published-data.js';
import { IS_LONG } from '../support/repetitions.js';

/**
 * What the documents show a command to print it prints: each is run in this process, in the order
 * of the documents and in one folder. Those that show nothing are not run.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What takes seconds, and of which others show the same by day: a world beside `sim`. */
const AT_NIGHT = /^experiment\b/;
const isAtNight = ({ words }: { readonly words: readonly string[] }) =>
  words.some((word) => AT_NIGHT.test(word));
const SHOWN = blocksOf(ROOT)
  .filter(({ language }) => language === 'console')
  .flatMap(({ place, text }) => commandsIn(text, true).map((command) => ({ place, ...command })))
  .filter((command) => command.prints.length > 0 && (IS_LONG || !isAtNight(command)));
const BAD_EVENTS = [
  '{"type":"interaction","id":"x0","ts":0,"user":"u1"}',
  '{"id":1',
  '{"type":"interaction","id":"x1","ts":0,"user":"u1","item":"a"}',
  '{"type":"interaction","id":"x1","ts":1,"user":"u1","item":"b"}',
];

let folder: string;
/** What `evaluate` prints of the simulated log. */
let evaluated = '';
const home = process.cwd();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-shown-'));
  writeFileSync(join(folder, 'bad.ndjson'), `${BAD_EVENTS.join('\n')}\n`);
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

for (const { words, prints, place } of SHOWN) {
  const readsCoat = words.some((word) => /coat/.test(word));
  const coat = readsCoat ? publishedData('coat') : '';
  const what = words.slice(1, 3).join(' ');
  it(`${what} prints what ${place} shows`, readsCoat ? needsData('coat') : {}, async () => {
    const args = words.slice(2).map((word) => (word === 'path/to/coat' ? coat! : word));
    expect(words.slice(0, 2)).toEqual(['npx', 'unskew']);
    const text = await outputOf(args);
    if (args.includes('sim/events.ndjson')) evaluated = text;
    expect(printed(text, prints), `it prints:\n${text}`).toBe(true);
  });
}

it('the table and the figure of the README match the documented run', () => {
  const table = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const drawn = readFileSync(join(ROOT, 'docs/problem.svg'), 'utf8');
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)];
  expect(rows.map(([, model]) => model)).toEqual(['blend', 'personal', 'popular']);
  const { intervals } = JSON.parse(readFileSync(join(folder, 'sim/truth.json'), 'utf8'));
  for (const [, model, naive, snips, truth] of rows) {
    const printed = new RegExp(`^ {2}${model} +([\\d.]+) +([\\d.]+) `, 'm').exec(evaluated)!;
    expect(printed.slice(1).map((value) => Number(value).toFixed(3))).toEqual([naive, snips]);
    const { value } = intervals
      .at(-1)
      .values.find(
        (each: Record<string, unknown>) =>
          each['model'] === model &&
          each['metric'] === 'recall' &&
          each['k'] === 10 &&
          each['aggregation'] === 'user',
      );
    expect(value.toFixed(3)).toBe(truth);
    expect(drawn).toContain(`>${model} ${naive}<`);
    expect(drawn).toContain(`>${snips} ${model} (true ${truth})<`);
  }
});

it('the comparison rejects output that is not as shown', () => {
  expect(printed('a\nb\nc\n', ['a', '…', 'c'])).toBe(true);
  expect(printed('a\nb\nc\n', ['a', 'c'])).toBe(false);
  expect(printed('a\nb\n', ['b'])).toBe(false);
  expect(printed('a.\n', ['ab'])).toBe(false);
});

/** Both streams, as a terminal shows them. */
async function outputOf(args: readonly string[]): Promise<string> {
  let text = '';
  const print = (part: string) => {
    text += part;
  };
  await runCommandLine(args, {
    env: {},
    bodies: BODIES,
    io: {
      stdout: print,
      stderr: print,
      isTerminal: false,
      hasColor: false,
      signal: new AbortController().signal,
      openLog: async () => pino({ level: 'silent' }),
    },
  });
  return text;
}
