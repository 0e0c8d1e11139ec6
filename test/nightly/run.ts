import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { added, type Counts, closingLines, isGreen, NOTHING } from '../support/closing-line.js';
import { keepProgress, type Progress, progressSoFar, type Result, table } from './progress.js';
import { SHARDS, type Shard } from './shards.js';

/**
 * `npm run test:nightly [-- --shard n | --resume]`: the long form of everything, one shard after the
 * other, and a table of what ran at its end. `--resume` passes over the shards that passed on the
 * same commit; `--shard` runs one of them, by its number or name.
 */
const { values } = parseArgs({
  options: { shard: { type: 'string' }, resume: { type: 'boolean', default: false } },
});

/** A shard that takes longer hangs. */
const MOST_MS = 15 * 60_000;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}

/** All shards, or the one that is asked for by its number, from 1, or by its name. */
function asked(which: string | undefined): readonly Shard[] {
  if (which === undefined) return SHARDS;
  const shard = SHARDS[Number(which) - 1] ?? SHARDS.find(({ name }) => name === which);
  if (shard !== undefined) return [shard];
  const list = SHARDS.map(({ name }, n) => `${n + 1} (${name})`).join(', ');
  process.stderr.write(`there is no shard ${which}; there are ${list}\n`);
  process.exit(2);
}

async function run({ command, isVitest }: Shard): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-nightly-'));
  const file = join(folder, 'counts.json');
  const env = { ...process.env, UNSKEW_TESTS: 'long', UNSKEW_COUNTS: file };
  const at = new Date();
  // A group of its own, so that a stop reaches all that it has started.
  const child = spawn(command[0]!, command.slice(1), { env, stdio: 'inherit', detached: true });
  const stop = () => process.kill(-child.pid!, 'SIGTERM');
  stopping.signal.addEventListener('abort', stop);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, MOST_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  stopping.signal.removeEventListener('abort', stop);
  const counts = countsOf(isVitest ? file : undefined, code);
  rmSync(folder, { recursive: true });
  return {
    at: at.toISOString(),
    seconds: Math.round((Date.now() - at.getTime()) / 1000),
    counts,
    ended: isLate ? 'timed out' : isGreen(counts) ? 'passed' : 'failed',
  };
}

/** What a run of vitest counted; any other command counts as one test. */
function countsOf(file: string | undefined, code: number | null): Counts {
  const isGood = code === 0;
  if (file === undefined) return { ...NOTHING, passed: isGood ? 1 : 0, failed: isGood ? 0 : 1 };
  const counts = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Counts) : NOTHING;
  // What ended badly has failed at least once, whatever was counted.
  return isGood ? counts : { ...counts, failed: Math.max(1, counts.failed) };
}

let results: Progress = values.resume || values.shard !== undefined ? progressSoFar() : {};
for (const shard of asked(values.shard)) {
  if (values.resume && results[shard.name]?.ended === 'passed') continue;
  process.stdout.write(`\nshard ${shard.name}\n`);
  const result = await run(shard);
  if (stopping.signal.aborted) process.exit(130);
  results = { ...results, [shard.name]: result };
  keepProgress(results);
}

const names = SHARDS.map(({ name }) => name);
const lines = table(names, results);
const counts = Object.values(results)
  .map((result) => result.counts)
  .reduce(added, NOTHING);
process.stdout.write(`\n${[...lines, ...closingLines(counts)].join('\n')}\n`);
if (!isGreen(counts)) process.exitCode = 1;
