import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenSingles, goldenSlates } from '../support/golden-loggers.js';
import { unskew } from '../support/program.js';
import { needsData, publishedData } from '../support/published-data.js';

interface Row {
  model: string;
  metric: string;
  k: number | null;
  estimator: string;
  aggregation: string;
  value: number;
  users: number;
}

interface Value {
  model: string;
  metric: string;
  estimator: string;
  value: number | null;
  stdErr: number | null;
  lower: number | null;
  upper: number | null;
  ess: number;
  requests: number;
  withheld: string | null;
  decides: boolean;
}

interface Evaluated {
  popularity: { interactions: { gini: number; hhi: number } };
  results: Row[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function evaluateJson(
  args: string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Evaluated> {
  const { code, stdout, stderr } = await unskew(['evaluate', '--json', ...args], settings);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Evaluated;
}

function row({ results }: Evaluated, wanted: Partial<Row>): Row {
  const found = results.filter((r) =>
    Object.entries(wanted).every(([key, value]) => r[key as keyof Row] === value),
  );
  expect(found, JSON.stringify(wanted)).toHaveLength(1);
  return found[0]!;
}

/** One event a line. */
async function eventFile(name: string, events: readonly object[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, events.map((event) => JSON.stringify(event)).join('\n'));
  return path;
}

describe("Yang et al.'s Table 1 through evaluate --json", () => {
  const POPULAR = ['p1', 'p2', 'p3', 'p4'];
  const TAIL = ['t1', 't2', 't3', 't4'];
  const OTHERS = ['o1', 'o2', 'o3', 'o4'];
  const OBSERVED = ['p1', 'p2', 'p4', 't3'];
  // Ranks of the observed items as the table has them, from 1.
  const LISTS: Record<string, string[]> = {
    Z1: [...POPULAR, ...OTHERS, ...TAIL],
    Z2: ['t1', 't2', 't3', 't4', ...OTHERS, 'p1', 'p2', 'p3', 'p4'],
    Z3: ['t1', 'p3', 't3', 't2', 'p1', 'p2', 't4', 'p4', ...OTHERS],
  };
  const TABLE = {
    Z1: { true: 0.46261, naive: 0.58514, snips: 0.48307 },
    Z2: { true: 0.46261, naive: 0.34008, snips: 0.39339 },
    Z3: { true: 0.49418, naive: 0.38963, snips: undefined },
  };
  const ts = 1_700_000_000_000;
  const interactions = (items: readonly string[]) =>
    items.map((item, n) => ({ type: 'interaction', id: `x${n}`, ts: ts + 1, user: 'u', item }));
  const lists = Object.entries(LISTS).map(([model, items]) => ({
    type: 'exposure',
    id: model,
    ts,
    user: 'u',
    model,
    items,
  }));
  const gain = (model: string, item: string) => 1 / Math.log2(LISTS[model]!.indexOf(item) + 2);

  it('gives the true values if all relevant pairs are observed', async () => {
    const file = await eventFile('complete.ndjson', [
      ...lists,
      ...interactions([...POPULAR, ...TAIL]),
    ]);
    const evaluated = await evaluateJson(['--events', file, '--metrics', 'dcg']);
    for (const [model, { true: wanted }] of Object.entries(TABLE)) {
      const found = row(evaluated, {
        model,
        metric: 'dcg',
        k: null,
        estimator: 'naive',
        aggregation: 'user',
      }).value;
      expect(found).toBeCloseTo(wanted, 5);
      const relevant = [...POPULAR, ...TAIL];
      const mean = relevant.reduce((sum, item) => sum + gain(model, item), 0) / relevant.length;
      expect(Math.abs(found - mean)).toBeLessThan(1e-12);
    }
  });

  it('gives naive and snips of partly observed pairs, at propensities 3 to 1', async () => {
    // With γ = 1 propensities go with the count: three interactions of a popular item for one of
    // the tail are P = .75 and .25 up to the factor that snips does not depend on.
    const history = [...POPULAR, ...POPULAR, ...POPULAR, ...TAIL].map((item, n) => ({
      type: 'interaction',
      id: `h${n}`,
      ts: ts - 1000,
      user: `v${n}`,
      item,
    }));
    const train = await eventFile('history.ndjson', history);
    const file = await eventFile('observed.ndjson', [...lists, ...interactions(OBSERVED)]);
    const evaluated = await evaluateJson([
      '--train',
      train,
      '--events',
      file,
      '--metrics',
      'dcg',
      '--gamma',
      '1',
      '--preset',
      'papers',
    ]);
    for (const [model, { naive, snips }] of Object.entries(TABLE)) {
      for (const [estimator, wanted] of Object.entries({ naive, snips })) {
        const { value } = row(evaluated, {
          model,
          metric: 'dcg',
          k: null,
          estimator,
          aggregation: 'user',
        });
        if (wanted !== undefined) expect(value).toBeCloseTo(wanted, 5);
        const weight = (item: string) =>
          estimator === 'naive' ? 1 : 1 / (item.startsWith('p') ? 0.75 : 0.25);
        const sum = OBSERVED.reduce((s, item) => s + weight(item) * gain(model, item), 0);
        const weights = OBSERVED.reduce((s, item) => s + weight(item), 0);
        expect(Math.abs(value - sum / weights)).toBeLessThan(1e-12);
      }
    }
  });
});

const coat = publishedData('coat');

it(
  'Coat’s popularity ranker has its known values through import and evaluate --json',
  needsData('coat'),
  async () => {
    const train = join(folder, 'coat-train.ndjson');
    const events = join(folder, 'coat.ndjson');
    const imported = await unskew(['import', 'coat', coat!, '--out', events, '--train-out', train]);
    expect(imported.code).toBe(0);
    const evaluated = await evaluateJson([
      '--train',
      train,
      '--events',
      events,
      '--positive',
      '4',
      '--popularity',
      'all',
      '--k',
      '10',
      '--preset',
      'papers',
      '--metrics',
      'recall',
    ]);
    const value = (estimator: string, aggregation: string) =>
      row(evaluated, { model: 'popularity', metric: 'recall', k: 10, estimator, aggregation });
    // Chance drew what is rated there, so it is neither naive nor weighed.
    expect(value('ure', 'user').users).toBe(225);
    expect(Math.abs(value('ure', 'user').value - 0.0699101)).toBeLessThan(1e-6);
    expect(Math.abs(value('ure', 'pooled').value - 0.0650195)).toBeLessThan(1e-6);
    expect(evaluated.results.some(({ estimator }) => estimator === 'snips')).toBe(false);
    expect(Math.abs(evaluated.popularity.interactions.gini - 0.2930364)).toBeLessThan(1e-6);
    expect(Math.abs(evaluated.popularity.interactions.hhi - 0.00449081)).toBeLessThan(1e-8);
  },
);

describe('logged values of golden logs through evaluate --json', () => {
  // So many copies that no row is too heavy, and so few that shrunk weights are not found out.
  const SINGLES = 5;
  const SLATES = 20;
  const valued = async (name: string, events: readonly object[]) => {
    const args = ['--events', await eventFile(name, events), '--metrics', 'recall', '--k', '2'];
    const settings = { UNSKEW_VALUE_SHRINKAGE: '1' };
    const { results } = await evaluateJson([...args, '--estimators', 'naive'], settings);
    return (results as unknown as Value[]).filter(({ model, metric }) => {
      return model === 'S' && metric === 'value';
    });
  };

  it('are right for single positions of weights 1/2, 1, 2 and 1', async () => {
    const values = await valued('singles.ndjson', goldenSingles(SINGLES));
    const of = (form: string) =>
      values.find(({ estimator }) => estimator === `logged_slot_${form}`)!;
    for (const [form, value] of [
      ['ips', 5 / 8],
      ['snips', 5 / 9],
      ['dr', 19 / 32],
      ['dros', 27 / 80],
    ] as const) {
      expect(of(form).value, form).toBeCloseTo(value, 6);
    }
    // Each user is a cluster; with U / (U − 1) for ips.
    const users = 4 * SINGLES;
    const variance = ((3 / 4) * (43 / 192) * (users / (users - 1))) / SINGLES;
    expect(of('ips').stdErr! ** 2).toBeCloseTo(variance, 6);
    expect(of('snips').stdErr! ** 2).toBeCloseTo(472 / 6561 / SINGLES, 6);
  });

  it('are right for slates of a Plackett–Luce logger', async () => {
    const [slots, conditional] = await Promise.all(
      (['slot', 'conditional'] as const).map((of) =>
        valued(`${of}.ndjson`, goldenSlates(of, [1], SLATES)),
      ),
    );
    for (const [name, value] of [
      ['slot_ips', 2],
      ['prefix_ips', 3 / 2],
      ['list_ips', 1],
      ['prefix_dr', 3 / 2],
    ] as const) {
      const own = [...slots, ...conditional].find(
        ({ estimator }) => estimator === `logged_${name}`,
      );
      expect(own?.value, name).toBeCloseTo(value, 6);
    }
  });
});

const bandit = publishedData('open-bandit');

it(
  'Open Bandit, men, has its known values through import and evaluate --json',
  needsData('open-bandit'),
  async () => {
    const events = join(folder, 'bandit.ndjson');
    const imported = await unskew(['import', 'open-bandit', bandit!, '--out', events]);
    expect(imported.code).toBe(0);
    const { results } = await evaluateJson([
      '--events',
      events,
      '--metrics',
      'recall',
      '--k',
      '5',
      '--estimators',
      'naive',
    ]);
    const of = (model: string, estimator: string) =>
      (results as unknown as Value[]).find((each) => {
        return each.model === model && each.estimator === estimator && each.metric === 'value';
      })!;
    expect(of('bts', 'on_policy').value).toBeCloseTo(0.0069, 9);
    expect(of('bts', 'on_policy').stdErr).toBeCloseTo(0.000828, 6);
    expect(of('uniform', 'on_policy').value).toBeCloseTo(0.0046, 9);
    expect(of('uniform', 'on_policy').stdErr).toBeCloseTo(0.000677, 6);
    for (const [form, value, stdErr] of [
      ['ips', 0.003008626, 0.000773935],
      ['snips', 0.003189423, 0.000827823],
    ] as const) {
      const own = of('uniform', `logged_slot_${form}`);
      expect(own.value).toBeCloseTo(value, 9);
      // Each impression has a user of its own.
      expect(own.stdErr).toBeCloseTo(stdErr, 9);
      expect(own.ess).toBeCloseTo(15.1, 1);
      expect(own).toMatchObject({ requests: 10_000, withheld: null, decides: false });
      // What Thompson sampling would have chosen instead of a uniform item is not in the log.
      expect(of('bts', `logged_slot_${form}`)).toMatchObject({
        value: null,
        withheld: 'target_unknown',
        decides: false,
      });
    }
    // Unbiased whatever is predicted: within the noise of ips, and as unsure of so few rewards.
    const doubly = of('uniform', 'logged_slot_dr');
    expect(Math.abs(doubly.value! - 0.003008626)).toBeLessThan(0.000773935);
    expect(doubly.stdErr! / 0.000773935).toBeCloseTo(1, 1);
    expect(doubly).toMatchObject({ withheld: null, decides: false });
    const { lower, upper } = of('uniform', 'logged_slot_snips');
    expect([lower, upper]).toEqual([expect.closeTo(0.00183, 5), expect.closeTo(0.00556, 5)]);
  },
);
