import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  DemoOptions,
  EvaluateOptions,
  ReplayOptions,
} from '../../../src/commands/cli/options.js';
import type { SimulateOptions } from '../../../src/commands/files/simulate.js';
import { type Config, type LoadedConfig, loadConfig } from '../../../src/config.js';
import { UnskewError } from '../../../src/errors.js';
import { RATING_METRICS } from '../../../src/estimators/metrics/rating-metrics.js';
import { METRICS } from '../../../src/estimators/metrics/registry.js';
import { ESTIMATORS } from '../../../src/estimators/rules/registry.js';
import { run } from './fake-io.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS = [
  'serve',
  'demo',
  'replay',
  'evaluate',
  'explain',
  'export',
  'simulate',
  'import',
  'validate',
  'config',
];

describe('help', () => {
  it.each(COMMANDS)('of %s names its flags and ends with 0', async (command) => {
    const { code, stdout, stderr } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain(`Usage: unskew ${command}`);
    expect(stdout).toContain('--help');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('lists every command', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('puts the commands for a new user first, then groups', async () => {
    const { stdout } = await run(['--help']);
    const headings = [...stdout.matchAll(/^[A-Z].*:$/gm)].map(([line]) => line);
    expect(headings).toEqual([
      'Options:',
      'Start here:',
      'Event files:',
      'Test sets, baselines and propensities:',
      'Operating the service:',
      'Examples:',
    ]);
    const first = /Start here:\n(.*?)\n\n/s.exec(stdout)![1]!;
    expect(first.match(/^ {2}\w+/gm)).toEqual([
      '  demo',
      '  evaluate',
      '  serve',
      '  explain',
      '  help',
    ]);
  });

  it.each(['evaluate', 'replay'])(
    'of %s says what each estimator and metric is',
    async (command) => {
      const { stdout } = await run(['help', command]);
      for (const name of [...ESTIMATORS, ...METRICS, ...RATING_METRICS]) {
        expect(stdout).toMatch(new RegExp(`^  ${name} +\\S.{20,}$`, 'm'));
      }
    },
  );

  it.each([
    ['no, by default', {}, false],
    ['yes, with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
    ['no, with NO_COLOR as well', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ] as const)('is coloured without a terminal: %s', async (_, env, isColored) => {
    for (const argv of [['--help'], ['evaluate', '--help'], []]) {
      const { stdout, stderr } = await run(argv, {}, env);
      expect((stdout + stderr).includes('\u001b[1m')).toBe(isColored);
      expect((stdout + stderr).includes('\u001b')).toBe(isColored);
    }
  });

  it('is printed as a usage error without a command', async () => {
    const { code, stdout, stderr } = await run([]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: unskew');
  });
});

describe('a wrong call ends with 2 and one clear line', () => {
  it.each([
    ['an unknown command', ['evalute'], /unknown command 'evalute' \(Did you mean evaluate\?\)/],
    ['an unknown flag', ['serve', '--prot', '1'], /unknown option '--prot'/],
    ['a superfluous argument', ['serve', 'x'], /too many arguments for 'serve'/],
    ['a missing flag', ['evaluate'], /required option '--events <files...>' not specified/],
    [
      'an invalid port',
      ['demo', '--port', '99999'],
      /'--port <number>' argument '99999' is invalid. Expected a whole number from 0 to 65535/,
    ],
    [
      'a speed that leaves no whole panes',
      ['demo', '--speed', '7'],
      /'--speed <times>' argument '7' is invalid. Allowed choices are 1, 2, 5, 10/,
    ],
    [
      'a word for a number',
      ['evaluate', '--events', 'x', '--strata', 'five'],
      /--strata: estimates\.strata: expected a whole number from 1 to 1000, found "five"/,
    ],
    [
      'a refused estimator',
      ['evaluate', '--events', 'x', '--estimators', 'naive,dr'],
      /--estimators: .*estimator dr needs a predicted error for every pair/,
    ],
    [
      'an unknown metric',
      ['evaluate', '--events', 'x', '--metrics', 'recal'],
      new RegExp(
        `unknown metric 'recal' \\(did you mean recall\\?\\); known are ${[...METRICS, ...RATING_METRICS].join(', ')}`,
      ),
    ],
    [
      'a window that is not a multiple of the tick',
      ['replay', '--events', 'x', '--tick', '7s', '--windows', '1m'],
      /--windows: time\.windows\[0\]: expected a multiple of time\.tick \(7s\), found 1m/,
    ],
    [
      'an unknown setting',
      ['config', '--set', 'time.tik=1s'],
      /--set: time\.tik: unknown setting \(did you mean time\.tick\?\)/,
    ],
    ['a setting without a value', ['config', '--set', 'time.tick'], /Expected path=value/],
    [
      'an unknown data set',
      ['import', 'netflix', 'd', '--out', 'x'],
      /'netflix' is invalid .*coat, movielens, open-bandit/,
    ],
    [
      'an unknown campaign',
      ['import', 'open-bandit', 'd', '--out', 'x', '--campaign', 'children'],
      /'children' is invalid. Allowed choices are all, men, women/,
    ],
    [
      'an unknown ranker',
      ['simulate', '--out', 'x', '--rankers', 'good'],
      /Expected some of personal, blend, popular, random/,
    ],
    [
      'a drift without a cycle',
      ['simulate', '--out', 'x', '--drift', 'popular'],
      /--drift: expected ranker@cycle/,
    ],
    [
      'a misspelt flag',
      ['evaluate', '--event', 'x'],
      /unknown option '--event' \(Did you mean --events\?\)/,
    ],
    [
      '--all with --json',
      ['evaluate', 'x', '--all', '--json'],
      /--all would have no effect beside --json/,
    ],
    [
      'a flag of another command',
      ['evaluate', '--events', 'x', '--windows', '1h'],
      /unknown option '--windows'; --windows belongs to replay/,
    ],
    [
      'numbers that are not joined',
      ['evaluate', '--events', 'x', '--k', '10', '20', '30'],
      /^unskew: --k takes numbers joined by commas: --k 10,20,30$/m,
    ],
    [
      'numbers that are not joined after --k=',
      ['evaluate', '--events', 'x', '--k=10', '20', '30'],
      /^unskew: --k takes numbers joined by commas: --k 10,20,30$/m,
    ],
    [
      'names that are not joined',
      ['replay', '--metrics', 'recall', 'mrr', 'x'],
      /^unskew: --metrics takes names joined by commas: --metrics recall,mrr$/m,
    ],
    [
      'files to evaluate that --train takes',
      ['evaluate', '--train', 'a.ndjson', 'b.ndjson'],
      /^unskew: nothing to evaluate: --train takes all files after it \(a.ndjson, b.ndjson\)\. Put the files to evaluate before it, or name them with --events$/m,
    ],
    [
      'a report that would overwrite the event file',
      ['evaluate', 'a.ndjson', '--html', './a.ndjson'],
      /^unskew: --html would write its report over the event file \.\/a\.ndjson$/m,
    ],
    [
      'a report that would overwrite a training file',
      ['evaluate', 'a.ndjson', '--train', 'b', '--html', 'c/../b'],
      /--html would write its report over the event file c\/\.\.\/b/,
    ],
    [
      'an event file after --html',
      ['evaluate', 'a.ndjson', '--html', 'b.ndjson.gz'],
      /--html would write its report over the event file b\.ndjson\.gz/,
    ],
    [
      'an event file without its flag',
      ['export', 'a.ndjson', '--out', 'x'],
      /too many arguments for 'export'.* Use --events a\.ndjson to name event files/,
    ],
    ['nothing to validate', ['validate'], /required option '--events <files...>' not specified/],
    [
      'standard input twice',
      ['evaluate', '--train', '-', '--events', '-'],
      /standard input \(-\) can be read only once/,
    ],
    [
      'standard input for a set',
      ['export', '--events', '-', '--out', 'x'],
      /export reads its files twice, so it cannot read standard input \(-\)/,
    ],
    [
      'a configuration without its flag',
      ['serve', 'unskew.yaml'],
      /too many arguments for 'serve'.* Use --config unskew\.yaml to give a configuration/,
    ],
    [
      'a missing configuration file',
      ['serve', '--config', '/no/file'],
      /configuration \/no\/file: no such file/,
    ],
  ])('for %s', async (_, argv, expected) => {
    const { code, stdout, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(/^unskew: [^\n]+\n$/);
  });
});

describe('validate', () => {
  it.each([[['a', 'b']], [['--events', 'a', 'b']], [['a', '--events', 'b']]])(
    'takes files with and without their flag: %o',
    async (argv) => {
      let read: readonly string[] = [];
      const { code } = await run(['validate', ...argv], {
        validateFiles: async (files) => {
          read = files;
          const none = { files: 0, exposures: 0, interactions: 0, ignored: 0, faults: {} };
          return { ...none, events: 0, faulty: 0 };
        },
      });
      expect(code).toBe(0);
      expect(read).toEqual(['a', 'b']);
    },
  );
});

describe('an error in a command', () => {
  const failing = (error: Error) =>
    run(['evaluate', '--events', 'x'], {
      evaluate: async () => {
        throw error;
      },
    });

  it.each([
    ['FILE', 1],
    ['BROKER', 1],
    ['USAGE', 2],
    ['FAULTS', 3],
  ] as const)('with code %s is printed in one line, with exit code %i', async (code, exitCode) => {
    const result = await failing(new UnskewError(code, 'the matter'));
    expect(result).toEqual({ code: exitCode, stdout: '', stderr: 'unskew: the matter\n' });
  });

  it('is printed with its stack if it is internal', async () => {
    const { code, stderr } = await failing(new TypeError('oh'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/internal error, please report it[\s\S]*TypeError: oh\n\s+at /);
  });

  it('is not reported as internal after an interrupt', async () => {
    const stop = new AbortController();
    const evaluate = async () => {
      stop.abort();
      stop.signal.throwIfAborted();
    };
    const { code, stderr } = await run(
      ['evaluate', '--events', 'x'],
      { evaluate },
      {},
      stop.signal,
    );
    expect(code).toBe(1);
    expect(stderr).toBe('unskew: interrupted before it finished\n');
  });
});

describe('evaluate', () => {
  async function optionsOf(...argv: string[]): Promise<EvaluateOptions> {
    let given: EvaluateOptions | undefined;
    const evaluate = async (options: EvaluateOptions) => {
      given = options;
    };
    const { code, stderr } = await run(['evaluate', ...argv], { evaluate });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return given!;
  }

  it('has the configuration’s defaults', async () => {
    const options = await optionsOf('--events', 'a', 'b');
    expect(options).toEqual({
      events: ['a', 'b'],
      train: [],
      json: false,
      all: false,
      questions: [],
      maxFaults: Number.POSITIVE_INFINITY,
      config: loadConfig({ env: {} }),
    });
  });

  it('takes files without --events, also after a flag with a list', async () => {
    expect((await optionsOf('a', '-')).events).toEqual(['a', '-']);
    const { events, config } = await optionsOf('--k', '3', 'a', '--events', 'b');
    expect(events).toEqual(['a', 'b']);
    expect(config.estimates.ks).toEqual([3]);
  });

  it('warns of settings that have no effect', async () => {
    const argv = ['evaluate', 'a', '--set', 'time.idle=9s', '--set', 'gamma=1'];
    const { code, stderr } = await run(argv, { evaluate: async () => {} });
    expect(code).toBe(0);
    expect(stderr).toBe('warning: --set: time.idle has no effect in evaluate\n');
  });

  it('reads every flag', async () => {
    const { config, ...options } = await optionsOf(
      '--train',
      't',
      '--events',
      'e',
      '--gamma',
      '-1',
      '--k',
      '3,7',
      '--metrics',
      'mrr,auc',
      '--estimators',
      'naive,gs',
      '--strata',
      '8',
      '--strata-scheme',
      'popularity-rank',
      '--cold',
      'drop',
      '--smoothing',
      '0.25',
      '--positive',
      '4',
      '--popularity',
      'all',
      '--catalog-size',
      '300',
      '--attribution-ttl',
      '90d',
      '--max-faults',
      '3',
      '--json',
      '--mapping',
      'metarank',
      '--html',
      'r.html',
      '--why',
      '--max-bytes',
      '2MiB',
      '--set',
      'models.max=2',
      '--gamma-fit',
      'poisson',
      '--interval',
      'bootstrap',
      '--control',
      'popular',
      '--user-form',
      'plain',
      '--weights-from',
      'train',
      '--feedback',
      'caution',
      '--guarantees',
      'anytime,hoeffding',
      '--draws',
      '5',
      '--seed',
      '9',
    );
    const html = 'r.html';
    const form = { json: true, all: false, questions: ['why'] };
    expect(options).toEqual({ events: ['e'], train: ['t'], html, ...form, maxFaults: 3 });
    expect(config.gamma).toBe(-1);
    expect(config.gammaFit).toBe('poisson');
    expect(config.estimates).toEqual({
      metrics: ['mrr', 'auc'],
      ks: [3, 7],
      estimators: ['naive', 'gs'],
      interval: 'bootstrap',
      userForm: 'plain',
      weightsFrom: 'train',
      guarantees: ['anytime', 'hoeffding'],
      strata: 8,
      strataScheme: 'popularity-rank',
      cold: 'drop',
      smoothing: 0.25,
      draws: 5,
      feedback: 'caution',
      seed: 9,
    });
    expect(config.comparisons).toEqual({ control: 'popular' });
    expect(config.positive.minValue).toBe(4);
    expect(config.popularity.of).toBe('all');
    expect(config.catalogue.size).toBe(300);
    expect(config.attribution.ttlMs).toBe(90 * 86_400_000);
    expect(config.events).toEqual({
      maxBytes: 2 * 1024 * 1024,
      mapping: 'metarank',
      actions: { view: 0, click: 1, purchase: 5 },
    });
    expect(config.models.max).toBe(2);
  });
});

it('replay prefers flags to the environment, and the environment to the file', async () => {
  const file = join(folder, 'unskew.yaml');
  writeFileSync(file, 'time: { tick: 1s, windows: [2m], lateness: 7s }\n');
  let given: ReplayOptions | undefined;
  const argv = [
    'replay',
    '--config',
    file,
    '--windows',
    '30s,1m',
    '--events',
    'e',
    '--partitions',
    '3',
  ];
  const replay = async (options: ReplayOptions) => {
    given = options;
  };
  const { code } = await run(
    argv,
    { replay },
    { UNSKEW_TIME_TICK: '5s', UNSKEW_TIME_WINDOWS: '5m' },
  );
  expect(code).toBe(0);
  expect(given!.partitions).toBe(3);
  expect(given!.config.time).toMatchObject({
    tickMs: 5000,
    latenessMs: 7000,
    windows: [
      { name: '30s', ms: 30_000 },
      { name: '1m', ms: 60_000 },
    ],
  });
});

it('serve is given the effective configuration', async () => {
  let given: Config | undefined;
  const serve = async ({ config }: LoadedConfig) => {
    given = config;
  };
  await run(['serve'], { serve }, { UNSKEW_KAFKA_BROKERS: 'k:9' });
  expect(given!.kafka.brokers).toEqual(['k:9']);
});

it('demo is given its address, its seed and the amount of traffic', async () => {
  let given: DemoOptions | undefined;
  const demo = async (options: DemoOptions) => {
    given = options;
  };
  await run(['demo', '--port', '0', '--seed', '12'], { demo });
  const address = { host: '127.0.0.1', port: 0 };
  // The backlog depends on `plain`, so it has no default here.
  const usual = { users: 2000, speed: 1, plain: false };
  expect(given).toEqual({ ...address, seed: 12, ...usual });
  await run(['demo', '--users', '800', '--backlog', '5', '--speed', '10', '--plain'], { demo });
  expect(given).toMatchObject({ users: 800, backlog: 5, speed: 10, plain: true });
});

it('simulate is given its options and lists the files it wrote', async () => {
  let given: SimulateOptions | undefined;
  const { code, stdout } = await run(
    [
      'simulate',
      '--out',
      'd',
      '--seed',
      '4',
      '--users',
      '50',
      '--rankers',
      'personal,popular',
      '--drift',
      'popular@15',
      '--cycles',
      '9',
      '--train-cycles',
      '3',
      '--gzip',
    ],
    {
      simulate: async (options, out) => {
        given = options;
        const part = (name: string, events: number) => ({ path: `${out}/${name}`, events });
        return { train: part('t', 1200), events: part('e', 34), truth: `${out}/truth.json` };
      },
    },
  );
  expect(code).toBe(0);
  expect(given).toMatchObject({ cycles: 9, trainCycles: 3, gzip: true });
  expect(given!.simulation).toMatchObject({ seed: 4, users: 50, rankers: ['personal', 'popular'] });
  expect(given!.simulation.drift).toEqual({ ranker: 'popular', atMs: Date.UTC(2026, 0, 1, 15) });
  expect(stdout).toBe('d/t: 1,200 events\nd/e: 34 events\nd/truth.json: the true values\n');
});

it('simulate and demo are given options on served lists, examination and bots', async () => {
  const arms = ['--arms', '2', '--random-arm', '0.1'];
  const flags = ['--caused', '0.2', ...arms, '--examination', '1,0.5', '--naming', 'none'];
  const served = {
    causedShare: 0.2,
    arms: 2,
    randomArm: 0.1,
    examination: [1, 0.5],
    naming: 'none',
  };
  let traffic: unknown;
  const part = { path: 'p', events: 1 };
  await run(['simulate', '--out', 'd', ...flags, '--bots', '3', '--bot-clicks', '40'], {
    simulate: async ({ simulation }) => {
      traffic = simulation;
      return { train: part, events: part, truth: 't' };
    },
  });
  expect(traffic).toMatchObject({ ...served, bots: 3, botClicks: 40 });
  await run(['simulate', '--out', 'd', '--exposures-follow', 'long-run', '--item-noise', '.5'], {
    simulate: async ({ simulation }) => {
      traffic = simulation;
      return { train: part, events: part, truth: 't' };
    },
  });
  expect(traffic).toMatchObject({ exposuresFollow: 'long-run', itemNoise: 0.5 });
  expect(traffic).toMatchObject({ causedShare: 0.01 });
  for (const absent of ['arms', 'naming', 'bots']) {
    expect(traffic).not.toHaveProperty(absent);
  }
  await run(['demo', ...flags], {
    demo: async (options) => {
      traffic = options;
    },
  });
  expect(traffic).toMatchObject({ host: '127.0.0.1', seed: 1, ...served });
  const wrong = await run(['simulate', '--out', 'd', '--examination', '1,high'], {});
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('Expected probabilities from 0 to 1');
});

describe('validate', () => {
  const counts = (faulty: number) => ({
    files: 1,
    events: 9,
    exposures: 4,
    interactions: 5,
    ignored: 0,
    faulty,
    faults: {},
  });

  it('ends with 0 up to the allowed invalid events, and with 3 above', async () => {
    const validateFiles = async () => counts(2);
    expect((await run(['validate', 'f', '--max-faults', '2'], { validateFiles })).code).toBe(0);
    const { code, stderr } = await run(['validate', 'f'], { validateFiles });
    expect(code).toBe(3);
    expect(stderr).toBe('unskew: 2 invalid events, 0 allowed by --max-faults\n');
  });
});

it('export accepts a share without a leading zero', async () => {
  let size: number | undefined;
  const argv = ['export', '--events', 'x', '--out', 'y', '--size', '.5'];
  const { code } = await run(argv, {
    exportSet: async ({ config }) => {
      size = config.export.size;
    },
  });
  expect({ code, size }).toEqual({ code: 0, size: 0.5 });
});

describe('config', () => {
  const password = 'hunter2';
  const token = 'correct-horse-battery-staple';
  const env = {
    UNSKEW_KAFKA_SASL_MECHANISM: 'plain',
    UNSKEW_KAFKA_SASL_USERNAME: 'u',
    UNSKEW_KAFKA_SASL_PASSWORD: password,
    UNSKEW_HTTP_TOKEN: token,
    UNSKEW_TIME_WINDOWS: '2h,7d',
  };

  it('shows where each value comes from and hides secrets', async () => {
    const { code, stdout } = await run(['config', '--set', 'http.port=1'], {}, env);
    expect(code).toBe(0);
    expect(stdout).not.toContain(password);
    expect(stdout).not.toContain(token);
    expect(stdout).toContain('  token: "***"  # UNSKEW_HTTP_TOKEN\n');
    expect(stdout).toContain('    password: "***"  # UNSKEW_KAFKA_SASL_PASSWORD\n');
    expect(stdout).toContain('  port: 1  # --set\n');
    expect(stdout).toContain('  windows: ["2h","7d"]  # UNSKEW_TIME_WINDOWS\n');
    expect(stdout).toContain('  horizon: "70d"  # derived\n');
    expect(stdout).toContain('  tick: "1m"  # default\n');
  });

  it('describes values with --describe', async () => {
    const { stdout } = await run(['config', '--describe']);
    expect(stdout).toContain('  # Length of a pane.');
    expect(stdout).toContain('Expected: duration, at least 1s.\n  tick: "1m"  # default\n');
  });

  it('warns that no metric can be monitored for drift', async () => {
    const { stdout, stderr } = await run(['config', '--set', 'estimates.metrics=ndcg']);
    expect(stdout).toContain('  metric: "none"  # derived\n');
    expect(stderr).toMatch(/^warning: .*drift\.metric: none of estimates\.metrics \(ndcg\)/);
  });

  it('prints a file that gives the same configuration', async () => {
    const { stdout } = await run(['config'], {}, env);
    const file = join(folder, 'printed.yaml');
    writeFileSync(file, stdout.replace('***', password).replace('***', token));
    expect(loadConfig({ file, env: {} })).toEqual(loadConfig({ env }));
  });
});
