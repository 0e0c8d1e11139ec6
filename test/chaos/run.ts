import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * `npm run test:chaos [-- --schedule random [--memory] [--seed N]]`: the long form of what may happen
 * to a group. Without `--schedule` kills and outages in great number; `random`: schedules drawn at
 * random, or the one of a seed; with `--memory` in virtual time, without any service.
 */
const { values } = parseArgs({
  options: {
    schedule: { type: 'string', default: 'kills' },
    memory: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
});

const KILLS = 'test/integration/chaos.nightly.test.ts';
const RANDOM = 'test/integration/random-chaos.nightly.test.ts';
const IN_MEMORY = 'test/property/random-schedules.test.ts';

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { schedule, memory, seed } = values;
if (schedule !== 'kills' && schedule !== 'random')
  refuse(`--schedule: expected kills or random, found ${schedule}`);
if (seed !== undefined && !/^\d{1,9}$/.test(seed))
  refuse(`--seed: expected a number, found ${seed}`);
if ((seed !== undefined || memory) && schedule !== 'random')
  refuse('--seed and --memory are for --schedule random');
const file = schedule === 'kills' ? KILLS : memory ? IN_MEMORY : RANDOM;

const { status } = spawnSync('npx', ['vitest', 'run', file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    UNSKEW_TESTS: 'long',
    ...(seed === undefined ? {} : { CHAOS_SEED: seed }),
  },
});
process.exit(status ?? 1);
