import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { simulate } from '../../../../src/commands/files/simulate.js';
import { DEFAULT_OPTIONS } from '../../../../src/simulation/options.js';
import { run } from '../../cli/fake-io.js';

let folder: string;
let sound: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-empty-'));
  const simulation = { ...DEFAULT_OPTIONS, users: 20 };
  await simulate({ simulation, cycles: 2, gzip: false }, folder, () => {});
  sound = join(folder, 'events.ndjson');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const evaluate = (...argv: string[]) => run(['evaluate', ...argv], BODIES);
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)!;

describe('an event file with nothing to evaluate', () => {
  it.each(['evaluate', 'replay'])(
    'makes %s exit with 1 and report its first invalid event',
    async (name) => {
      const bad = file('bad.ndjson', 'junk\n{"type":"interaction"}\n');
      const { code, stdout, stderr } = await run([name, '--events', bad], BODIES);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(lastLine(stderr)).toMatch(
        /^unskew: no valid events in \S+bad\.ndjson; 2 invalid, the first: \S+bad\.ndjson:1: not_json: /,
      );
    },
  );

  it.each(['evaluate', 'replay'])('makes %s exit with 1 and one line if empty', async (name) => {
    const empty = file('empty.ndjson', '\n');
    const { code, stderr } = await run([name, '--events', empty], BODIES);
    expect(code).toBe(1);
    expect(stderr).toBe(`unskew: no valid events in ${empty}\n`);
  });

  it('makes evaluate exit with 1 even if the training file has events', async () => {
    const train = file('train.ndjson', `junk\n${readFileSync(sound, 'utf8')}`);
    const empty = file('empty.ndjson', '');
    const { code, stderr } = await evaluate('--train', train, '--events', empty);
    expect(code).toBe(1);
    expect(lastLine(stderr)).toBe(`unskew: no valid events in ${empty}`);
  });

  it('makes evaluate exit with 1 if all its ids are in the training file', async () => {
    const { code, stderr } = await evaluate('--train', sound, '--events', sound);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `unskew: no event to evaluate in ${sound}: all event ids are those of ${sound}\n`,
    );
  });

  it('makes evaluate exit with 3 if it has more invalid events than allowed', async () => {
    const bad = file('bad.ndjson', 'junk\n');
    const { code, stderr } = await evaluate('--events', bad, '--max-faults', '0');
    expect(code).toBe(3);
    expect(stderr).toContain('more than 0 invalid events');
  });
});

describe('a reference model without lists', () => {
  const argv = (name: string) => ['--events', sound, '--metrics', 'mrr', '--reference', name];

  it.each(['evaluate', 'replay'])('is refused by %s, naming those with lists', async (name) => {
    const windows = name === 'replay' ? ['--tick', '1h', '--windows', '1h'] : [];
    const { code, stderr } = await run([name, ...argv('persnal'), ...windows], BODIES);
    expect(code).toBe(2);
    expect(lastLine(stderr)).toBe(
      "unskew: comparisons.control: there are no lists of model 'persnal' (did you mean personal?); models are blend, personal, popular, popularity, production",
    );
  });

  it('may be the built-in baseline, unless that is turned off', async () => {
    expect((await evaluate(...argv('popularity'), '--json')).code).toBe(0);
    const { code, stderr } = await evaluate(...argv('popularity'), '--baseline', 'none');
    expect(code).toBe(2);
    expect(stderr).toContain("there are no lists of model 'popularity'");
  });
});
