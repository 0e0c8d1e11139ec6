import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sourceTrace } from '../../../src/outputs/text/source-trace.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-trace-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SOURCE = [
  'interface Nothing {}',
  'type Gone = Nothing;',
  'export function failing(): Gone {',
  "  throw new Error('failed');",
  '}',
];

async function failure(sourcemap: boolean): Promise<Error> {
  const source = join(folder, 'source.ts');
  const outfile = join(folder, sourcemap ? 'mapped.mjs' : 'plain.mjs');
  await writeFile(source, SOURCE.join('\n'));
  await build({ entryPoints: [source], outfile, format: 'esm', sourcemap });
  const bundle = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
    failing: () => void;
  };
  try {
    bundle.failing();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

it('names the line of the source where a file has a map', async () => {
  const trace = sourceTrace(await failure(true)).split('\n');
  expect(trace[0]).toBe('Error: failed');
  expect(trace[1]).toMatch(/at (Module\.)?failing \(.*source\.ts:4:9\)$/);
  expect(trace.join('\n')).not.toContain('mapped.mjs');
});

it('leaves lines of files without a map as they are', async () => {
  const error = await failure(false);
  expect(sourceTrace(error)).toBe(error.stack);
});

it('gives the message of an error without a trace', () => {
  const error = new Error('failed');
  error.stack = undefined!;
  expect(sourceTrace(error)).toBe('failed');
});
