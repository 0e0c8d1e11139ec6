import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Counts, close, countsOf } from './counts.js';
import { keepProgress, type Progress, progressSoFar } from './progress.js';
import { SHARDS, type Shard } from './shards.js';

/**
 * `npm run test:nightly [-- --shard n | --resume]`: the long form of everything, a shard after the
 * other. `--resume` passes over those that passed on the same commit; `--shard` runs one of them, by number.
 */
const { values } = parseArgs({
  options: { shard: { type: 'string' }, resume: { type: 'boolean', default: false } },
});

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0, withoutData: 0 };
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort());
}

/** All of them, or the one with that number, from 1. */
function asked(number: string | undefined): readonly Shard[] {
  if (number === undefined) return SHARDS;
  const shard = SHARDS[Number(number) - 1];
  if (shard !== undefined) return [shard];
  const list = SHARDS.map(({ name }, n) => `${n + 1} (${name})`).join(', ');
  process.stderr.write(`there is no shard ${number}; there are ${list}\n`);
  process.exit(2);
}

async function run({ command, isVitest }: Shard): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-nightly-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [file, ...args] = [...command, ...(isVitest ? reporters : [])];
  const env = { ...process.env, UNSKEW_TESTS: 'long' };
  // Its own group, so that a stop reaches all that it has started.
  const child = spawn(file!, args, { env, stdio: 'inherit', detached: true });
  const stop = () => process.kill(-child.pid!, 'SIGTERM');
  stopping.signal.addEventListener('abort', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  stopping.signal.removeEventListener('abort', stop);
  const found = isVitest && existsSync(report) ? countsOf(report) : NOTHING;
  rmSync(folder, { recursive: true });
  if (code === 0) return isVitest ? found : { ...NOTHING, passed: 1 };
  // What ended badly has failed at least once, whatever was counted.
  return { ...found, failed: Math.max(1, found.failed) };
}

const hasPassed = ({ passed, failed, skipped }: Counts) => passed > 0 && failed + skipped === 0;

const shards = asked(values.shard);
let progress: Progress = values.resume || values.shard !== undefined ? progressSoFar() : {};
keepProgress(progress);
let total = NOTHING;
for (const shard of shards) {
  const known = values.resume ? progress[shard.name] : undefined;
  if (known === undefined) process.stdout.write(`\nshard ${shard.name}\n`);
  else process.stdout.write(`shard ${shard.name} has passed before: ${known.passed} tests\n`);
  const start = Date.now();
  const counts = known ?? (await run(shard));
  if (stopping.signal.aborted) process.exit(130);
  if (known === undefined) {
    const seconds = Math.round((Date.now() - start) / 1000);
    process.stdout.write(`shard ${shard.name}: ${counts.passed} passed in ${seconds} s\n`);
    const { [shard.name]: _before, ...others } = progress;
    progress = hasPassed(counts) ? { ...others, [shard.name]: counts } : others;
    keepProgress(progress);
  }
  total = {
    passed: total.passed + counts.passed,
    failed: total.failed + counts.failed,
    skipped: total.skipped + counts.skipped,
    withoutData: total.withoutData + counts.withoutData,
  };
}
close(total);
