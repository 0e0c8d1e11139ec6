import { describe, expect, it } from 'vitest';
import {
  balanceZ,
  clickPairs,
  designEffect,
} from '../../../../../src/features/values/arm-checks.js';
import { armEstimates } from '../../../../../src/features/values/arms/arm-estimates.js';
import { CellMeans } from '../../../../../src/features/values/arms/cell-means.js';
import { servedCounts, shareStrata } from '../../../../../src/features/values/arms/share-strata.js';
import { valueByArms } from '../../../../../src/features/values/arms/value-by-arms.js';
import { weighArms } from '../../../../../src/features/values/arms/weigh-arms.js';
import { type ArmFacts, judgeArms } from '../../../../../src/features/values/judge-arms.js';
import { sampleRatioTest } from '../../../../../src/features/values/sample-ratio.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../../../support/golden-arms.js';
import { type LoggedRequest, servedLog } from '../../../../support/value-log.js';
import { ValueWorld, WORLD_THETA } from '../../../../support/value-world.js';

const sumsOf = (log: ReturnType<typeof servedLog>, theta: readonly number[], isEmpirical = true) =>
  weighArms(log, shareStrata(servedCounts(log), log.shares, isEmpirical), Float64Array.from(theta));

describe('the overlap of served lists with the challenger in four requests', () => {
  const sums = sumsOf(servedLog(FOUR_REQUESTS, HALF_AND_HALF), TWO_PLACES);
  const byRequest = (column: Float64Array) =>
    new CellMeans(sums, column.subarray(2 * sums.cells, 3 * sums.cells)).byCluster;

  it('is C = 5/3, 2, 5/3, 2/3 for T = 3/2, 1, 3/2, 1/2: an excess of 3/8', () => {
    const c = byRequest(sums.control);
    const t = byRequest(sums.target);
    for (const [q, each] of [5 / 3, 2, 5 / 3, 2 / 3].entries()) expect(c[q]).toBeCloseTo(each, 12);
    for (const [q, each] of [3 / 2, 1, 3 / 2, 1 / 2].entries()) expect(t[q]).toBeCloseTo(each, 12);
    const excess = c.reduce((sum, each, q) => sum + each - t[q], 0) / 4;
    expect(excess).toBeCloseTo(3 / 8, 12);
    // Residuals from the arms' means 1/6 and 7/12: 0, ±5/12; U/(U − 1) = 4/3.
    const se = Math.sqrt((4 / 3) * 2 * (5 / 12) ** 2) / 4;
    expect(balanceZ(sums, 2, true)).toBeCloseTo(3 / 8 / se, 10);
  });
});

describe('the test of shares (sample ratio mismatch)', () => {
  it('computes χ² by stratum, and merges strata with few expected requests', () => {
    const shares = [
      [0.5, 0.5],
      [0.25, 0.75],
    ];
    const { chiSquare, freedom, p } = sampleRatioTest([60, 40, 30, 70], shares);
    expect(chiSquare).toBeCloseTo(4 + 25 / 25 + 25 / 75, 12);
    expect(freedom).toBe(2);
    // P(χ²₂ > x) = e^(−x/2)
    expect(p).toBeCloseTo(Math.exp(-chiSquare / 2), 12);
    const few = sampleRatioTest(
      [3, 1, 4, 4],
      [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
    );
    expect(few.chiSquare).toBeCloseTo(2 / 6, 12);
    expect(few.freedom).toBe(1);
  });

  it('finds a design effect if arms are randomised by user, not by request', () => {
    const effectOf = (unit: 'request' | 'user') => {
      const world = new ValueWorld({ seed: 3, requests: 4000, unit, perUser: 20 });
      return designEffect(sumsOf(world.draw().log, WORLD_THETA));
    };
    expect(effectOf('request')).toBeLessThan(1.6);
    // About twenty requests of a user go to the same arm.
    expect(effectOf('user')).toBeGreaterThan(10);
  });
});

it('counts pairs of clicks in requests and expects them from rates by rank', () => {
  const request = (arm: number, rewards: Record<string, number>): LoggedRequest => ({
    lists: [['a', 'b', 'c'], ['c', 'b', 'a'], []],
    arm,
    rewards,
  });
  const log = servedLog(
    [
      request(0, { a: 1, b: 1, c: 1 }),
      request(0, { a: 1 }),
      request(1, { c: 1, b: 1 }),
      request(1, {}),
    ],
    HALF_AND_HALF,
  );
  const { observed, expected } = clickPairs(sumsOf(log, [1, 0.5, 0.5]));
  expect(observed).toBe(4);
  // Arm 0: rates 1, 1/2, 1/2; arm 1: 1/2, 1/2, 0.
  expect(expected).toBeCloseTo(2 * (1 / 2 + 1 / 2 + 1 / 4) + 2 / 4, 12);
});

describe('a valid log of 4,000 requests', () => {
  const { log } = new ValueWorld({ seed: 11, requests: 4000 }).draw();
  const sums = sumsOf(log, WORLD_THETA);
  const finish = { ...log, isEmpirical: true, isPredicted: false };
  const estimates = armEstimates(sums, finish);
  const FACTS: ArmFacts = {
    complete: 1,
    unit: 'request',
    examinationStdErr: 0,
    withoutShares: 0,
    ratio: { chiSquare: 0, freedom: 1, p: 1 },
  };
  const judged = (facts: Partial<ArmFacts>) =>
    judgeArms(estimates, sums, finish, { ...FACTS, ...facts });
  const refused = (facts: Partial<ArmFacts>, form: string) =>
    judged(facts).filter(({ estimator, isRefused }) => estimator === form && isRefused).length;

  it.each([
    ['incomplete_requests', { complete: 0.949 }, { complete: 0.95 }, 2],
    [
      'sample_ratio_mismatch',
      { ratio: { chiSquare: 11, freedom: 1, p: 0.0009 } },
      { ratio: { chiSquare: 10, freedom: 1, p: 0.001 } },
      2,
    ],
    ['examination_uncertain', { examinationStdErr: 0.251 }, { examinationStdErr: 0.25 }, 0],
    ['examination_uncertain', { examinationStdErr: Number.NaN }, {}, 0],
    ['no_shares', { withoutShares: 1 }, {}, 0],
  ] as const)('is not valued for %s, but just within the limit', (code, beyond, within, arms) => {
    expect(refused(beyond, 'on_policy')).toBe(arms);
    const forms = judged(beyond).filter(({ estimator }) => estimator === 'arms_ips');
    for (const each of forms) {
      expect(each).toMatchObject({ isRefused: true, decides: false, value: Number.NaN });
      expect(each.lower).toBeNaN();
      expect(each.reasons.find((one) => one.code === code)?.consequence).toBe('refused');
    }
    const codes = judged(within).flatMap(({ reasons }) => reasons.map((each) => each.code));
    expect(codes).not.toContain(code);
  });
});

describe('the overlap of served lists with a list', () => {
  const request = (served: string, own: string): LoggedRequest => ({
    lists: [[served], [served], own.split(' ')],
    arm: 0,
    rewards: { [served]: 1 },
  });
  const judge = (own: string) => {
    const many = Array.from({ length: 40 }, (_, q) => ({ ...request('x', own), arm: q % 2 }));
    return valueByArms(servedLog(many, HALF_AND_HALF), { theta: [1, 1] }).find(
      ({ model, estimator }) => model === 'S' && estimator === 'arms_ips',
    )!;
  };

  it.each([
    ['of half gives the value with a caution', 'x w', 'partly_supported', 'caution'],
    ['of less than half gives a lower bound only', 'w v', 'mostly_unsupported', 'bound'],
  ])('%s', (_, own, code, consequence) => {
    const found = judge(own).reasons.find((each) => each.code === code);
    expect(found?.consequence).toBe(consequence);
  });
});
