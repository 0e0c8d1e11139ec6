import { describe, expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { ServedLog } from '../../src/features/values/arms/served-log.js';
import {
  type ValueByArmsOptions,
  valueByArms,
} from '../../src/features/values/arms/value-by-arms.js';
import { examinationByArms } from '../../src/features/values/examination-by-arms.js';
import {
  type ValueDifferenceRow,
  valueDifferences,
} from '../../src/features/values/value-differences.js';
import { isDecisive, isGiven, reasonOf } from '../../src/rows/reading.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import {
  ValueWorld,
  WORLD_MODELS,
  WORLD_THETA,
  type WorldOptions,
} from '../support/value-world.js';

/** Eight windows of 4,000 requests notice an interval of half its width, and a sign that is wrong. */
const WINDOWS = repetitions(5, 1000);
const REQUESTS = 4000;
/** Of three thousand windows by request .941 cover what `near` differs by; a thousand give ± .007. */
const FIRST_SEED = 9000;

type Options = Omit<WorldOptions, 'seed' | 'requests'>;

/** The differences of windows of a world to a control, by model. */
function compared(
  options: Options,
  control = 'A',
  change: (log: ServedLog, n: number) => ServedLog = (log) => log,
): (model: string) => ValueDifferenceRow[] {
  const found = new Map<string, ValueDifferenceRow[]>();
  for (let n = 0; n < WINDOWS; n++) {
    const { log, complete } = new ValueWorld({
      seed: FIRST_SEED + n,
      requests: REQUESTS,
      ...options,
    }).draw();
    const how = { theta: WORLD_THETA, complete, unit: options.unit ?? 'request' };
    for (const row of valueDifferences(valueByArms(change(log, n), how), control)) {
      found.set(row.model, [...(found.get(row.model) ?? []), row]);
    }
  }
  return (model) => found.get(model)!;
}

/** What the lists of a model are worth, as far as arms show them; those of arms are shown. */
function truthsOf(options: Options): (model: string) => number {
  const truths = new ValueWorld({ seed: 0, requests: REQUESTS, ...options }).truth(true);
  return (model) => truths[WORLD_MODELS.indexOf(model)];
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/** Of the windows in which it is given, the share whose interval holds the true difference. */
function expectCovered(rows: readonly ValueDifferenceRow[], truth: number): void {
  const given = rows.filter(isGiven);
  // Chance alone refuses one in 300 for each check.
  expect(given.length).toBeGreaterThanOrEqual(IS_LONG ? 0.97 * WINDOWS : WINDOWS - 1);
  const covered = given.filter(({ lower, upper }) => lower <= truth && truth <= upper).length;
  if (IS_LONG) {
    expect(covered / given.length, `coverage of ${truth}`).toBeGreaterThanOrEqual(0.93);
    expect(covered / given.length, `coverage of ${truth}`).toBeLessThanOrEqual(0.97);
  } else expect(covered).toBeGreaterThanOrEqual(given.length - 2);
}

/** Each arm has the list of the other in every second request, by chance: they are worth the same. */
function exchanged(log: ServedLog, seed: number): ServedLog {
  const random = new Random(seed, 'exchange');
  const coins = Uint8Array.from({ length: log.requests.length }, () => random.below(2));
  const arm = Uint8Array.from(coins, (coin, q) => (log.requests.arm[q] + coin) % 2);
  const { ranks } = log.items;
  const exchangedRanks = ranks.map((own, m) =>
    m > 1
      ? own
      : Uint16Array.from(own, (_, at) => ranks[(m + coins[log.items.request[at]]) % 2][at]),
  );
  return {
    ...log,
    requests: { ...log.requests, arm },
    items: { ...log.items, ranks: exchangedRanks },
  };
}

describe('value differences from the control', () => {
  it.each([
    ['arms by request', {}],
    [
      'a ramp-up during growing click rates',
      {
        shares: [
          [0.9, 0.1],
          [0.7, 0.3],
          [0.3, 0.7],
        ],
        trend: 0.4,
      },
    ],
    ['arms assigned by user, with many requests each', { unit: 'user', perUser: 20 }],
  ] as const)('have intervals that cover, for arms and challengers: %s', (_, options) => {
    const of = compared(options);
    const truth = truthsOf(options);
    for (const model of ['B', 'near', 'best']) {
      expectCovered(of(model), truth(model) - truth('A'));
    }
    expect(new Set(of('B').map(({ estimator }) => estimator))).toEqual(new Set(['on_policy']));
    expect(new Set(of('best').map(({ estimator }) => estimator))).toEqual(new Set(['arms_snips']));
  });

  it('of a challenger have smaller errors than unpaired differences', () => {
    const unpaired: number[] = [];
    for (let n = 0; n < WINDOWS; n++) {
      const { log } = new ValueWorld({ seed: FIRST_SEED + n, requests: REQUESTS }).draw();
      const values = valueByArms(log, { theta: WORLD_THETA });
      const error = (model: string, form: string) =>
        values.find((each) => each.model === model && each.estimator === form)!.stdErr;
      unpaired.push(Math.hypot(error('near', 'arms_snips'), error('A', 'on_policy')));
    }
    const paired = mean(
      compared({})('near')
        .map(({ stdErr }) => stdErr)
        .filter(Number.isFinite),
    );
    expect(paired).toBeLessThan(0.95 * mean(unpaired.filter(Number.isFinite)));
  });

  it('cover with the error of examination fitted beforehand', () => {
    const seeds = repetitions(3, 200);
    const truth = truthsOf({});
    let covered = 0;
    for (let n = 0; n < seeds; n++) {
      const before = new ValueWorld({ seed: 10_000 + n, requests: 5 * REQUESTS }).draw();
      const { theta, covariance } = examinationByArms(before.log, WORLD_THETA.length);
      const { log } = new ValueWorld({ seed: 900 + n, requests: REQUESTS }).draw();
      const how: ValueByArmsOptions = { theta, covariance, isJudged: false };
      const rows = valueDifferences(valueByArms(log, how), 'A', covariance);
      const { lower, upper, stdErr } = rows.find(({ model }) => model === 'best')!;
      const known = valueDifferences(valueByArms(log, { theta, isJudged: false }), 'A');
      expect(stdErr).toBeGreaterThan(known.find(({ model }) => model === 'best')!.stdErr);
      const difference = truth('best') - truth('A');
      if (lower <= difference && difference <= upper) covered++;
    }
    expect(covered / seeds).toBeGreaterThan(IS_LONG ? 0.92 : 0.3);
  });
});

describe('a value difference', () => {
  it('covers 0 for arms of equal value', () => {
    expectCovered(compared({}, 'A', exchanged)('B'), 0);
  });

  it('is refused on a sample ratio mismatch', () => {
    const of = compared({ shares: [[0.5, 0.5]], declared: [[0.42, 0.58]] });
    for (const model of ['B', 'near', 'best']) {
      for (const row of of(model)) {
        expect([reasonOf(row), row.value]).toEqual(['sample_ratio_mismatch', Number.NaN]);
        expect(isDecisive(row)).toBe(false);
      }
    }
  });
});
