import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../src/features/values/arms/value-by-arms.js';
import { examinationByArms } from '../../src/features/values/examination-by-arms.js';
import type { JudgedValue } from '../../src/features/values/judged-value.js';
import type { ValueReasonCode } from '../../src/features/values/reasons.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import {
  expectSound,
  type How,
  meanError,
  REQUESTS,
  tally,
  truthsOf,
  WINDOWS,
} from '../support/value-tally.js';
import { ValueWorld, WORLD_THETA } from '../support/value-world.js';

const SUPPORTED: readonly [string, string][] = [
  ...['A', 'B'].map((model): [string, string] => [model, 'on_policy']),
  ...['A', 'B', 'near', 'best'].flatMap((model) =>
    ['arms_ips', 'arms_snips'].map((form): [string, string] => [model, form]),
  ),
];

describe('values for users who click each position independently', () => {
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
  ] as const)('are unbiased and their intervals cover: %s', (_, options) => {
    const of = tally({ ...options, isPredicted: true });
    for (const [model, form] of SUPPORTED) expectSound(of(model, form));
    for (const model of ['A', 'B', 'near', 'best']) expectSound(of(model, 'arms_dr'));
    const { codes, refused } = of('best', 'arms_ips');
    expect(codes.get('partly_supported')).toBe(WINDOWS);
    expect(codes.get('arms_by_user') ?? 0).toBe('unit' in options ? WINDOWS : 0);
    // Chance alone refuses one in 300 for each check.
    expect(refused).toBeLessThanOrEqual(IS_LONG ? 0.03 * WINDOWS : 1);
    // A niche list that is clicked once in a hundred requests decides little.
    expect(of('niche', 'arms_ips').decides).toBeLessThan(IS_LONG ? 0.8 * WINDOWS : WINDOWS);
  });

  it('are unbiased with declared shares too, with larger errors', () => {
    const of = tally({}, { shares: 'declared' });
    const empirical = tally({});
    for (const [model, form] of SUPPORTED) expectSound(of(model, form));
    expect(meanError(of('A', 'arms_ips'))).toBeGreaterThan(meanError(empirical('A', 'arms_ips')));
  });

  it('have the same errors from 64 groups of users as from single users', () => {
    const [groups, users] = [false, true].map((isByUser) =>
      tally({ unit: 'user', perUser: 10, isByUser }),
    );
    for (const form of ['arms_ips', 'arms_snips']) {
      const ratio = meanError(groups('near', form)) / meanError(users('near', form));
      expect(Math.abs(ratio - 1)).toBeLessThan(IS_LONG ? 0.02 : 0.12);
    }
  });

  it('are fully supported for every list by randomised lists', () => {
    const of = tally({ drawn: 0.2 });
    for (const model of ['A', 'best', 'niche']) {
      expect([...of(model, 'arms_ips').codes.keys()]).not.toContain('partly_supported');
    }
    for (const model of ['A', 'near', 'best']) {
      expectSound(of(model, 'arms_ips'));
      expectSound(of(model, 'arms_snips'));
    }
    // The niche list is supported by drawn lists alone, with some twenty effective rewards.
    const { decides, refused } = of('niche', 'arms_ips');
    expect(decides).toBeLessThan(IS_LONG ? 0.15 * WINDOWS : 2);
    expect(refused).toBeGreaterThan(0.5 * WINDOWS);
    const alone = tally({ drawn: 1 });
    for (const form of ['uniform_ips', 'uniform_snips']) expectSound(alone('best', form));
  });

  it('rank a perfect shadow model first', () => {
    let first = 0;
    for (let n = 0; n < WINDOWS; n++) {
      const { log } = new ValueWorld({ seed: 500 + n, requests: 2 * REQUESTS }).draw();
      const values = valueByArms(log, { theta: WORLD_THETA });
      const ips = values.filter(({ estimator }) => estimator === 'arms_ips');
      const best = ips.reduce((a, b) => (b.value > a.value ? b : a));
      if (best.model === 'best') first++;
    }
    expect(first).toBeGreaterThanOrEqual(IS_LONG ? 0.9 * WINDOWS : WINDOWS - 2);
  });

  it('carry the error of examination fitted beforehand, and their intervals cover', () => {
    const seeds = repetitions(3, 200);
    let covered = 0;
    let known = 0;
    let inRange = 0;
    for (let n = 0; n < seeds; n++) {
      const before = new ValueWorld({ seed: 10_000 + n, requests: 5 * REQUESTS }).draw();
      const { theta, covariance, largestStdErr } = examinationByArms(
        before.log,
        WORLD_THETA.length,
      );
      expect(largestStdErr).toBeLessThan(0.25);
      for (let k = 1; k < theta.length; k++) {
        const error = Math.log(theta[k] / WORLD_THETA[k]);
        if (Math.abs(error) < 2 * Math.sqrt(covariance.values[k * theta.length + k])) inRange++;
      }
      const world = new ValueWorld({ seed: 900 + n, requests: REQUESTS });
      const { log } = world.draw();
      const find = (how: How) =>
        valueByArms(log, { ...how, isJudged: false }).find(
          (each) => each.model === 'best' && each.estimator === 'arms_ips',
        )!;
      const { lower, upper, stdErr } = find({ theta, covariance });
      const truth = truthsOf(world)('best', 'arms_ips');
      if (lower <= truth && truth <= upper) covered++;
      if (stdErr > find({ theta }).stdErr) known++;
    }
    expect(known).toBe(seeds);
    expect(covered / seeds).toBeGreaterThan(IS_LONG ? 0.92 : 0.3);
    expect(inRange / (seeds * 5)).toBeGreaterThan(IS_LONG ? 0.93 : 0.65);
  });
});

describe('a violated assumption is detected', () => {
  const expectRefused = (of: ReturnType<typeof tally>, code: ValueReasonCode, models: string[]) => {
    for (const model of models) {
      const { codes, refused } = of(model, 'arms_ips');
      expect(codes.get(code)).toBeGreaterThan(0.9 * WINDOWS);
      expect(refused).toBeGreaterThan(0.9 * WINDOWS);
    }
  };

  it('wrong shares are a sample ratio mismatch in every form', () => {
    const of = tally({ shares: [[0.5, 0.5]], declared: [[0.45, 0.55]] });
    expectRefused(of, 'sample_ratio_mismatch', ['A', 'best']);
    expect(of('A', 'on_policy').refused).toBeGreaterThan(0.9 * WINDOWS);
  });

  it('lists lost from one arm are incomplete requests and a sample ratio mismatch', () => {
    const of = tally({ lost: 0.2 });
    expectRefused(of, 'incomplete_requests', ['A', 'best']);
    expectRefused(of, 'sample_ratio_mismatch', ['A', 'best']);
  });

  it('lists that depend on the served arm are refused, the values of arms are not', () => {
    const of = tally({ follows: 0.3, unit: 'user' });
    expectRefused(of, 'lists_follow_arm', ['near', 'best', 'niche']);
    expect(Math.abs(of('niche', 'arms_ips').bias)).toBeGreaterThan(0.4);
    expect(of('A', 'on_policy').refused).toBeLessThanOrEqual(IS_LONG ? 0.01 * WINDOWS : 1);
  });

  it('users who stop at a click are detected, and on-policy values stay right', () => {
    const of = tally({ users: 'cascade', level: 0.8 });
    const { codes, bias, refused } = of('best', 'arms_ips');
    expect(codes.get('clicks_end_requests')).toBe(WINDOWS);
    // Hardly a request has two clicks on what the niche list holds.
    expect(of('niche', 'arms_ips').codes.get('clicks_end_requests')).toBeUndefined();
    expect(Math.abs(bias)).toBeGreaterThan(0.05);
    expect(refused).toBeGreaterThan(0.9 * WINDOWS);
    // What arms are worth on policy rests on no examination.
    expectSound(of('A', 'on_policy'));
  });

  it('users who judge the whole list make ips and on-policy values disagree', () => {
    const of = tally({ users: 'slate' });
    expect(of('best', 'arms_ips').codes.get('arms_disagree')).toBeGreaterThan(0.8 * WINDOWS);
    expect(Math.abs(of('B', 'arms_ips').bias)).toBeGreaterThan(0.08);
    expectSound(of('B', 'on_policy'));
  });

  it('one reward that outweighs all others is refused', () => {
    const { log } = new ValueWorld({ seed: 1, requests: REQUESTS }).draw();
    const reward = Float64Array.from(log.items.reward);
    reward[reward.indexOf(1)] = 400;
    const of = (model: string, each: readonly JudgedValue[]) =>
      each.find((one) => one.model === model && one.estimator === 'arms_ips')!;
    const heavy = of(
      'A',
      valueByArms({ ...log, items: { ...log.items, reward } }, { theta: WORLD_THETA }),
    );
    expect(heavy).toMatchObject({ isRefused: true, decides: false, value: Number.NaN });
    expect(heavy.reasons.map(({ code }) => code)).toContain('heavy_row');
    expect(of('A', valueByArms(log, { theta: WORLD_THETA })).isRefused).toBe(false);
  });
});
