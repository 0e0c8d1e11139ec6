/** A part of the nightly run. */
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
/** Files that have a shard of their own. */
const SINGLY = [CHAOS, RANDOM_CHAOS, SCHEDULES, FUZZ];

/** Each night has a number, and what cannot all run in one night goes by it. */
const NIGHT = Math.floor(Date.now() / 86_400_000);

/** Files of many random worlds, which take minutes each. Every night a fifth of them runs. */
export const SWEEPS: readonly string[] = [
  'property/checkpoint-restarts',
  'property/formats/csv-rows',
  'property/formats/files-fuzz',
  'property/formats/mutations',
  'property/korn-graubard-oracle',
  'property/line-scanner',
  'property/monitor-invariance',
  'property/panes-protocol',
  'property/past-windows',
  'property/progress',
  'property/retired-models',
  'property/rows-engines.nightly',
  'property/value-dr-oracle',
  'property/wrong-clocks',
  'reference/binomial-coverage',
  'reference/carraro',
  'reference/carraro-sets',
  'reference/caused-popularity',
  'reference/coverage',
  'reference/crawlers',
  'reference/own-list-feedback',
  'reference/own-shares',
  'reference/reproductions',
  'reference/strata-correction',
  'reference/value-difference-worlds',
  'reference/value-worlds',
  'reference/weights-from',
  'unit/decision/verdict-worlds',
  'unit/first-line/ab-power',
  'unit/first-line/ab-worlds',
  'unit/first-line/replay-looks',
  'unit/first-line/wrong-signs',
  'unit/propensity/split/calibration',
  'unit/propensity/split/gamma-interval',
].map((name) => `test/${name}.test.ts`);
/** Nights in which each sweep has its turn. */
export const TURNS = 5;
const isTonight = (_: string, n: number) => n % TURNS === NIGHT % TURNS;

const vitest = (name: string, ...args: string[]): Shard => ({
  name,
  command: ['npx', 'vitest', 'run', ...args],
  isVitest: true,
});
/** Random schedules of seeds that no night before had, so many of them. */
const schedules = (name: string, count: number, file: string): Shard => {
  const seeds = `${NIGHT * count + 1}-${(NIGHT + 1) * count}`;
  return {
    name: `${name} ${seeds}`,
    command: ['env', `CHAOS_SEED=${seeds}`, 'npx', 'vitest', 'run', file],
    isVitest: true,
  };
};
const script = (name: string, ...args: string[]): Shard => ({
  name,
  command: ['node', '--import', 'tsx', ...args],
  isVitest: false,
});

/** All that `npm test` does in a short form, in full, and what it does not do at all. */
export const SHARDS: readonly Shard[] = [
  ...[1, 2, 3, 4, 5, 6].map((n) =>
    vitest(
      `tests ${n}/6`,
      ...[...SINGLY, ...SWEEPS].flatMap((file) => ['--exclude', file]),
      '--shard',
      `${n}/6`,
    ),
  ),
  vitest(`sweeps ${(NIGHT % TURNS) + 1}/${TURNS}`, ...SWEEPS.filter(isTonight)),
  vitest('fuzz', FUZZ),
  vitest('chaos', CHAOS),
  schedules('random chaos', 4, RANDOM_CHAOS),
  schedules('schedules in memory', 100, SCHEDULES),
  script('reproduce', 'test/reproduce/run.ts'),
  // What sets up tools for minutes has every other night.
  ...(NIGHT % 2 === 0
    ? [script('api', 'test/nightly/api-conformance.ts')]
    : [script('chart', 'test/nightly/helm-chart.ts'), script('image', 'test/nightly/image.ts')]),
  script('open bandit pipeline', 'test/nightly/open-bandit-pipeline.ts'),
  script('heap', 'test/nightly/heap-from-limit.ts'),
  script('without a feature', 'test/architecture/without.ts', '--tests'),
  // `npm run soak` is the one of 15 minutes.
  script('soak', 'test/soak/run.ts', '5'),
];
