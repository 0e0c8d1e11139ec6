import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * `npm run test:chaos [-- --schedule random [--seed N]]`: the long form of what may happen to a
 * group. Without `--schedule` kills and outages in great number; `random`: twenty schedules drawn at
 * random, or the one of a seed.
 */
const { values } = parseArgs({
  options: { schedule: { type: 'string', default: 'kills' }, seed: { type: 'string' } },
});

const FILES: Readonly<Record<string, string>> = {
  kills: 'test/integration/chaos.test.ts',
  random: 'test/integration/random-chaos.test.ts',
};

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { schedule, seed } = values;
const file = FILES[schedule] ?? refuse(`--schedule: expected kills or random, found ${schedule}`);
if (seed !== undefined && !/^\d{1,9}$/.test(seed))
  refuse(`--seed: expected a number, found ${seed}`);
if (seed !== undefined && schedule !== 'random') refuse('--seed is for --schedule random');

const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'services', file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    UNSKEW_TESTS: 'long',
    ...(seed === undefined ? {} : { CHAOS_SEED: seed }),
  },
});
process.exit(status ?? 1);
