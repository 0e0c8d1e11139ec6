import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valueByArms } from '../../src/features/values/arms/value-by-arms.js';
import type { ValueEstimate } from '../../src/features/values/value-estimate.js';
import {
  type ArmWorld,
  drByDefinition,
  expectation,
  ipsByDefinition,
  ownOnPolicyByDefinition,
  requestFigures,
  snipsByDefinition,
} from '../oracle/value-arms.js';
import { repetitions } from '../support/repetitions.js';
import { servedLog } from '../support/value-log.js';

const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const MODELS = ['A', 'B', 'S'];
const expected = (item: string) => 0.1 + ITEMS.indexOf(item) / 20;
const worth = (item: string, q: number) => ((ITEMS.indexOf(item) + 2 * q) % 5) / 4;
const aList = fc.shuffledSubarray(ITEMS, { minLength: 0, maxLength: 4 });

/** Each request is a stratum of its own; a third arm may draw its lists at random. */
const aWorld = (most: number) =>
  fc
    .record({
      theta: fc
        .array(fc.double({ min: 0.05, max: 1.4, noNaN: true }), { maxLength: 2 })
        .map((rest) => [1, ...rest]),
      hasUniform: fc.boolean(),
      requests: fc.array(
        fc.record({
          lists: fc.tuple(aList, aList, aList, fc.shuffledSubarray(ITEMS, { minLength: 3 })),
          share: fc.double({ min: 0.02, max: 0.98, noNaN: true }),
          served: fc.nat(2),
          cluster: fc.nat(3),
          clicked: fc.subarray(ITEMS),
        }),
        { minLength: 3, maxLength: most },
      ),
    })
    .map(({ theta, hasUniform, requests }): ArmWorld => {
      const arms = [
        { list: 0 },
        { list: 1 },
        ...(hasUniform ? [{ list: 3, isUniform: true }] : []),
      ];
      return {
        theta,
        arms,
        isEmpirical: false,
        expected,
        shares: requests.map(({ share }) =>
          hasUniform ? [share * 0.8, (1 - share) * 0.8, 0.2] : [share, 1 - share],
        ),
        requests: requests.map(({ lists, served, cluster, clicked }, stratum) => {
          const arm = served % arms.length;
          const shown = lists[arms[arm].list].slice(0, theta.length);
          const rewards = Object.fromEntries(
            clicked.filter((item) => shown.includes(item)).map((item, n) => [item, 1 + n / 2]),
          );
          return { lists, arm, stratum, cluster, candidates: ITEMS.length, rewards };
        }),
      };
    });

function logOf({ requests, arms, shares }: ArmWorld) {
  const log = servedLog(requests, { models: [...MODELS, 'random'], arms, shares: [] }, expected);
  const share = requests.flatMap(({ stratum = 0 }) => shares[stratum]);
  return { ...log, requests: { ...log.requests, share } };
}
const valuesOf = (world: ArmWorld) =>
  valueByArms(logOf(world), { theta: world.theta, isJudged: false });
const pick = (estimates: readonly ValueEstimate[], model: number, form: string) =>
  estimates.find(({ model: name, estimator }) => name === MODELS[model] && estimator === form);

function expectClose(actual: number, wanted: number): void {
  if (Number.isNaN(wanted)) expect(actual).toBeNaN();
  else expect(Math.abs(actual - wanted)).toBeLessThan(1e-9 * Math.max(1, Math.abs(wanted)));
}

it('with shares per request, each form and its error equal their definitions', () => {
  fc.assert(
    fc.property(aWorld(9), (world) => {
      const estimates = valuesOf(world);
      const isSpread = new Set(world.requests.map(({ cluster }) => cluster)).size > 1;
      for (const m of [0, 1, 2]) {
        const ips = pick(estimates, m, 'arms_ips')!;
        const ofIps = ipsByDefinition(world, m);
        for (const key of ['value', 'ess'] as const) expectClose(ips[key], ofIps[key]);
        expectClose(ips.stdErr, isSpread ? ofIps.stdErr : Number.NaN);
        const dr = pick(estimates, m, 'arms_dr')!;
        const ofDr = drByDefinition(world, m);
        expectClose(dr.value, ofDr.value);
        expectClose(dr.stdErr, isSpread ? ofDr.stdErr : Number.NaN);
        if (ofIps.value === 0) continue;
        const snips = pick(estimates, m, 'arms_snips')!;
        const ofSnips = snipsByDefinition(world, m);
        expectClose(snips.value, ofSnips.value);
        expectClose(snips.stdErr, ofSnips.stdErr);
      }
      for (const arm of [0, 1]) {
        const own = pick(estimates, arm, 'on_policy');
        expect(own === undefined).toBe(world.requests.every((each) => each.arm !== arm));
        if (own === undefined) continue;
        const definition = ownOnPolicyByDefinition(world, arm);
        for (const key of ['value', 'stdErr', 'ess'] as const)
          expectClose(own[key], definition[key]);
      }
    }),
  );
});

it('with shares per request, ips and dr are unbiased over all assignments', () => {
  fc.assert(
    fc.property(aWorld(3), (drawn) => {
      const arms = drawn.arms.filter(({ isUniform }) => isUniform !== true);
      const shares = drawn.shares.map((each) => [each[0], 1 - each[0]]);
      const world = { ...drawn, arms, shares };
      for (const m of [0, 2]) {
        const truth = world.requests.reduce((total, { lists }, q) => {
          const shown = new Set([0, 1].flatMap((list) => lists[list].slice(0, world.theta.length)));
          const own = lists[m].slice(0, world.theta.length);
          const worths = own.map((item, k) =>
            shown.has(item) ? world.theta[k] * worth(item, q) : 0,
          );
          return total + worths.reduce((sum, each) => sum + each, 0) / world.requests.length;
        }, 0);
        for (const form of ['arms_ips', 'arms_dr']) {
          expectClose(
            expectation(world, worth, (one) => pick(valuesOf(one), m, form)!.value),
            truth,
          );
        }
        const balance = expectation(world, worth, (one) =>
          one.requests.reduce((total, request) => {
            const { control, target } = requestFigures(one, request, m);
            return total + control - target;
          }, 0),
        );
        expectClose(balance, 0);
      }
    }),
    { numRuns: repetitions(10, 100) },
  );
});

it('shares that sum to less than 1, or a served arm of share 0, are refused', () => {
  const request = { lists: [['a'], ['b'], ['c'], []], arm: 0, rewards: { a: 1 } };
  const judged = (shares: readonly number[]) => {
    const log = servedLog(
      Array.from({ length: 200 }, () => request),
      { models: [...MODELS, 'random'], arms: [{ list: 0 }, { list: 1 }], shares: [] },
    );
    const share = log.requests.arm as readonly number[];
    return valueByArms(
      { ...log, requests: { ...log.requests, share: share.flatMap(() => shares) } },
      { theta: [1] },
    );
  };
  const codes = (shares: readonly number[], form: string) =>
    judged(shares)
      .find(({ model, estimator }) => model === 'A' && estimator === form)!
      .reasons.map(({ code }) => code);
  expect(codes([1, 0], 'arms_ips')).not.toContain('no_shares');
  expect(codes([0.5, 0.3], 'arms_ips')).toContain('no_shares');
  expect(codes([0, 1], 'on_policy')).toContain('sample_ratio_mismatch');
});
