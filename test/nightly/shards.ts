/** A part of the nightly run. Under nine minutes each is the aim; it has yet to be measured. */
export interface Shard {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether it is a run of vitest, whose tests are counted; any other command counts as one. */
  readonly isVitest: boolean;
}

const CHAOS = 'test/integration/chaos.nightly.test.ts';
const RANDOM_CHAOS = 'test/integration/random-chaos.nightly.test.ts';
const SCHEDULES = 'test/property/random-schedules.test.ts';
const FUZZ = 'test/property/fuzz.test.ts';

const vitest = (name: string, ...args: string[]): Shard => ({
  name,
  command: ['npx', 'vitest', 'run', ...args],
  isVitest: true,
});
/** Random schedules of these seeds, the first and the last. */
const schedules = (name: string, seeds: string, ...args: string[]): Shard => ({
  name: `${name} ${seeds}`,
  command: ['env', `CHAOS_SEED=${seeds}`, 'npx', 'vitest', 'run', ...args],
  isVitest: true,
});
const script = (name: string, ...args: string[]): Shard => ({
  name,
  command: ['node', '--import', 'tsx', ...args],
  isVitest: false,
});

/** Each is taken out, and the tests of the core run without it. */
const FEATURES = ['ratings', 'on-policy', 'segments', 'values', 'drift', 'verdicts', 'why'];

/** All that `npm test` does in a short form, in full, and what it does not do at all. */
export const SHARDS: readonly Shard[] = [
  ...[1, 2, 3, 4, 5, 6].map((n) =>
    vitest(
      `core ${n}/6`,
      '--project',
      'core',
      '--exclude',
      FUZZ,
      '--exclude',
      SCHEDULES,
      '--shard',
      `${n}/6`,
    ),
  ),
  vitest('fuzz', '--project', 'core', FUZZ),
  ...[1, 2, 3].map((n) =>
    vitest(
      `services ${n}/3`,
      '--project',
      'services',
      '--exclude',
      CHAOS,
      '--exclude',
      RANDOM_CHAOS,
      '--shard',
      `${n}/3`,
    ),
  ),
  vitest('chaos', '--project', 'services', CHAOS),
  ...['1-5', '6-10', '11-15', '16-20'].map((seeds) =>
    schedules('random chaos', seeds, '--project', 'services', RANDOM_CHAOS),
  ),
  ...['1-100', '101-200'].map((seeds) =>
    schedules('schedules in memory', seeds, '--project', 'core', SCHEDULES),
  ),
  script('reproduce', 'test/reproduce/run.ts'),
  script('api', 'test/nightly/api-conformance.ts'),
  script('chart', 'test/nightly/helm-chart.ts'),
  script('image', 'test/nightly/image.ts'),
  script('open bandit pipeline', 'test/nightly/open-bandit-pipeline.ts'),
  script('heap', 'test/nightly/heap-from-limit.ts'),
  ...FEATURES.map((name) =>
    script(`without ${name}`, 'test/architecture/without.ts', name, '--tests'),
  ),
  // `npm run soak` is the one of 15 minutes.
  script('soak', 'test/soak/run.ts', '7'),
];
