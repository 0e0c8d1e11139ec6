import { expect } from 'vitest';
import { valueByArms } from '../../src/features/values/arms/value-by-arms.js';
import type { JudgedValue } from '../../src/features/values/judged-value.js';
import type { ValueReasonCode } from '../../src/features/values/reasons.js';
import { IS_LONG, repetitions } from './repetitions.js';
import { ValueWorld, WORLD_MODELS, WORLD_THETA, type WorldOptions } from './value-world.js';

/** Five windows of 4,000 requests notice an error of half its size and a bias of 3 standard errors. */
export const WINDOWS = repetitions(5, 1000);
export const REQUESTS = 4000;

/** What windows gave of one model by one form. */
export interface Tally {
  readonly values: number[];
  readonly errors: number[];
  covered: number;
  refused: number;
  decides: number;
  readonly codes: Map<ValueReasonCode, number>;
}

export type How = Parameters<typeof valueByArms>[1];

/** What windows of a world give, by model and form, against what its supported lists are worth. */
export function tally(
  options: Omit<WorldOptions, 'seed' | 'requests'>,
  how: Partial<How> = {},
  windows = WINDOWS,
): (model: string, estimator: string) => Tally & { truth: number; bias: number } {
  const tallies = new Map<string, Tally>();
  const truths = truthsOf(new ValueWorld({ seed: 0, requests: REQUESTS, ...options }));
  const world = (seed: number) => new ValueWorld({ seed, requests: REQUESTS, ...options });
  for (let n = 0; n < windows; n++) {
    const { log, complete } = world(100 + n).draw();
    const unit = options.unit ?? 'request';
    const judged = valueByArms(log, { theta: WORLD_THETA, complete, unit, ...how });
    // What is refused has no numbers: how wrong they would be is asked without judging.
    const plain = judged.some(({ isRefused }) => isRefused)
      ? valueByArms(log, { theta: WORLD_THETA, ...how, isJudged: false })
      : judged;
    for (const [at, each] of plain.entries()) count(tallies, each, judged[at], truths);
  }
  return (model, estimator) => {
    const own = tallies.get(`${model} ${estimator}`)!;
    const truth = truths(model, estimator);
    const mean = own.values.reduce((sum, each) => sum + each, 0) / own.values.length;
    return { ...own, truth, bias: mean / truth - 1 };
  };
}

type Truths = (model: string, estimator: string) => number;

export function truthsOf(world: ValueWorld): Truths {
  const whole = world.truth();
  const supported = world.truth(true);
  return (model, estimator) =>
    (estimator === 'on_policy' ? whole : supported)[WORLD_MODELS.indexOf(model)];
}

function count(
  tallies: Map<string, Tally>,
  { model, estimator, value, stdErr, lower, upper }: JudgedValue,
  judged: JudgedValue,
  truths: Truths,
): void {
  const key = `${model} ${estimator}`;
  const own: Tally = tallies.get(key) ?? {
    values: [],
    errors: [],
    covered: 0,
    refused: 0,
    decides: 0,
    codes: new Map(),
  };
  tallies.set(key, own);
  const truth = truths(model, estimator);
  own.values.push(value);
  own.errors.push(stdErr);
  if (lower <= truth && truth <= upper) own.covered++;
  if (judged.isRefused) own.refused++;
  if (judged.decides) own.decides++;
  for (const { code } of judged.reasons) own.codes.set(code, (own.codes.get(code) ?? 0) + 1);
}

export function meanError({ errors }: Tally): number {
  return errors.reduce((sum, each) => sum + each, 0) / errors.length;
}

/** No more bias than chance and 2 %, and intervals that cover. */
export function expectSound({
  values,
  errors,
  covered,
  bias,
  truth,
}: Tally & { truth: number; bias: number }) {
  const stdErr = Math.sqrt(errors.reduce((sum, each) => sum + each * each, 0)) / values.length;
  expect(Math.abs(bias)).toBeLessThan((IS_LONG ? 0.02 : 0.005) + (3 * stdErr) / truth);
  const coverage = covered / values.length;
  if (IS_LONG) {
    expect(coverage, `coverage of ${truth}`).toBeGreaterThanOrEqual(0.93);
    expect(coverage, `coverage of ${truth}`).toBeLessThanOrEqual(0.97);
  } else expect(covered).toBeGreaterThanOrEqual(values.length - 2);
}
