import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawMutants } from './candidates.js';
import type { Reached } from './reached.js';

/**
 * `npm run test:mutants`: how many small changes to the core the core's tests notice.
 *
 * It draws mutants with a fixed seed, runs the core's tests once to learn which test files reach
 * each of them, then runs these files with the mutant in place, the quickest first. It prints the
 * mutants that no test noticed. `--only 3,17` tries some of them; `--within SECONDS` bounds the time
 * of the test files that are tried for one.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    within: { type: 'string', default: '600' },
    folder: { type: 'string', default: 'node_modules/.mutants' },
  },
});
const { folder } = values;
mkdirSync(folder, { recursive: true });
const mutants = drawMutants(Number(values.count), Number(values.seed));
const files = { mutants: join(folder, 'mutants.json'), reached: join(folder, 'reached.ndjson') };
writeFileSync(files.mutants, JSON.stringify(mutants));

/** Run test files, with one mutant in place if it is given; whether they passed. */
async function passes(tests: readonly string[], mutant?: number): Promise<boolean> {
  const config = 'test/nightly/mutants/vitest.config.ts';
  const args = ['vitest', 'run', '--config', config, '--reporter=dot', ...tests];
  if (mutant !== undefined) args.push('--bail=1');
  const env = { ...process.env, MUTANTS: files.mutants, REACHED: files.reached };
  const own = mutant === undefined ? env : { ...env, MUTANT: String(mutant) };
  const child = spawn('npx', args, { env: own, stdio: 'ignore', detached: true });
  // A mutant that never ends is noticed too.
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 240_000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return code === 0;
}

if (!existsSync(files.reached) && !(await passes([]))) {
  throw new Error('the tests of the core fail without any mutant');
}
const reached = readFileSync(files.reached, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Reached)
  .sort((a, b) => a.ms - b.ms);

/** Whether a test notices the mutant; the quickest files are tried first, ten at a time. */
async function isKilled(mutant: number): Promise<boolean> {
  let left = Number(values.within) * 1000;
  const tests: string[] = [];
  for (const { file, mutants: own, ms } of reached) {
    if (!own.includes(mutant)) continue;
    left -= ms;
    if (left < 0) break;
    tests.push(file);
  }
  for (let n = 0; n < tests.length; n += n === 0 ? 10 : 1000) {
    if (!(await passes(tests.slice(n, n === 0 ? 10 : undefined), mutant))) return true;
  }
  return false;
}

const asked = values.only?.split(',').map(Number) ?? mutants.map((_, number) => number);
const queue = [...asked];
let killed = 0;
async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const isNoticed = await isKilled(next);
    if (isNoticed) killed++;
    const { file, line, text, changed } = mutants[next]!;
    const what = `${next} ${file}:${line} ${text} → ${changed}`.replace(/\s+/g, ' ');
    process.stdout.write(`${isNoticed ? 'killed' : 'SURVIVED'} ${what}\n`);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
process.stdout.write(`${killed} of ${asked.length} mutants killed\n`);
