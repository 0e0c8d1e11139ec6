import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Random } from '../../src/estimators/mathematics/random.js';
import { valueByPropensities } from '../../src/features/values/logged/value-by-propensities.js';
import { ROOT } from './manifest-checks.js';
import { aLogOfActions, aLogOfLists, type LogForBoth } from './open-bandit-logs.js';
import { pythonProgram } from './python-program.js';

/**
 * Holds values by logged propensities against Open Bandit Pipeline's own estimators, run from its
 * source, on random logs. Standard errors are not compared: there they are bootstrapped.
 *
 * usage: node --import tsx test/nightly/open-bandit-pipeline.ts [logs of each kind] [seed]
 */
const SOURCE = 'obp-0.5.7';
const PACKAGES = ['pandas==2.2.3', 'scipy==1.15.3', 'scikit-learn==1.6.1'];
const [logs = 300, seed = 1] = process.argv.slice(2).map(Number);
const TOLERANCE = 1e-12;

/** Their package asks for Python below 3.11 and for PyTorch; its estimators need neither. */
function source(python: string): string {
  const folder = join(ROOT, '.cache', SOURCE);
  if (existsSync(join(folder, 'obp'))) return folder;
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const only = ['--no-deps', '--no-binary', ':all:', '--ignore-requires-python'];
  const asked = ['download', '--quiet', ...only, SOURCE.replace('-', '==')];
  execFileSync(join(dirname(python), 'pip'), asked, {
    cwd: join(ROOT, '.cache'),
    stdio: 'inherit',
  });
  execFileSync('tar', ['xzf', `${SOURCE}.tar.gz`], { cwd: join(ROOT, '.cache') });
  return folder;
}

type Values = Record<string, number | undefined>;

/** Under the names that they have there. */
function ourValues({ ours: { slot, conditional }, cap }: LogForBoth): Values {
  const of = (log = slot!, options = {}) =>
    Object.fromEntries(
      valueByPropensities('target', log, { ...options, isJudged: false }).map(
        ({ estimator, value }) => [estimator.replace('logged_', ''), value],
      ),
    );
  const plain = of(slot, { shrinkage: cap });
  if (conditional === undefined) {
    const cut = of(slot, { weightCap: cap });
    return {
      ipw: plain['slot_ips'],
      snipw: plain['slot_snips'],
      'ipw cut': cut['slot_ips'],
      dr: plain['slot_dr'],
      'dr cut': cut['slot_dr'],
      dros: plain['slot_dros'],
      sndr: of(slot, { isSelfNormalised: true })['slot_dr'],
    };
  }
  const lists = of(conditional);
  return {
    iips: plain['slot_ips'],
    sniips: plain['slot_snips'],
    rips: lists['prefix_ips'],
    snrips: lists['prefix_snips'],
    sips: lists['list_ips'],
    snsips: lists['list_snips'],
    'cascade dr': lists['prefix_dr'],
  };
}

const random = new Random(seed, 'open bandit pipeline');
const all = Array.from({ length: logs }, () => [aLogOfActions(random), aLogOfLists(random)]).flat();
// What NumPy installs says that it is there, as the environment's Python alone does not.
const python = join(dirname(pythonProgram('numpy==2.2.6', 'numpy-config', ...PACKAGES)), 'python');
const input = JSON.stringify(all.map(({ theirs }) => theirs));
const script = join(ROOT, 'test/nightly/open-bandit-pipeline.py');
const output = execFileSync(python, [script, source(python)], { input, maxBuffer: 2 ** 28 });
const found: readonly Record<string, number | null>[] = JSON.parse(output.toString());

const compared = new Map<string, { count: number; furthest: number }>();
for (const [n, log] of all.entries()) {
  const own = ourValues(log);
  assert.deepEqual(Object.keys(own).sort(), Object.keys(found[n]).sort());
  for (const [name, value] of Object.entries(found[n])) {
    // Where no weight is above 0 theirs has no value, self-normalised.
    if (value === null) continue;
    const off = Math.abs(own[name]! - value) / Math.max(1, Math.abs(value));
    assert.ok(off <= TOLERANCE, `log ${n}, ${name}: ${own[name]} here, ${value} there`);
    const { count, furthest } = compared.get(name) ?? { count: 0, furthest: 0 };
    compared.set(name, { count: count + 1, furthest: Math.max(furthest, off) });
  }
}
for (const [name, { count, furthest }] of compared) {
  assert.ok(count > logs / 2, `only ${count} of ${logs} logs have a value by ${name}`);
  process.stdout.write(`${name}: ${count} logs, at most ${furthest.toExponential(1)} apart\n`);
}
