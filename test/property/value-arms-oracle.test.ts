import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SquareMatrix } from '../../src/estimators/mathematics/cholesky.js';
import { valueByArms } from '../../src/features/values/arms/value-by-arms.js';
import type { ValueEstimate } from '../../src/features/values/value-estimate.js';
import {
  type ArmWorld,
  drByDefinition,
  expectation,
  ipsByDefinition,
  onPolicyByDefinition,
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
const aTheta = fc
  .array(fc.double({ min: 0.05, max: 1.4, noNaN: true }), { maxLength: 2 })
  .map((rest) => [1, ...rest]);
/** Two strata, the second with its own shares; two or three arms, of which one may be at random. */
const aWorld = (most: number) =>
  fc
    .record({
      theta: aTheta,
      first: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      second: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      hasUniform: fc.boolean(),
      isEmpirical: fc.boolean(),
      requests: fc.array(
        fc.record({
          lists: fc.tuple(aList, aList, aList, fc.shuffledSubarray(ITEMS, { minLength: 3 })),
          served: fc.nat(2),
          stratum: fc.nat(1),
          cluster: fc.nat(3),
          drawn: fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 3 })),
          clicked: fc.subarray(ITEMS),
        }),
        { minLength: 3, maxLength: most },
      ),
    })
    .map(({ theta, first, second, hasUniform, isEmpirical, requests }): ArmWorld => {
      const arms = [
        { list: 0 },
        { list: 1 },
        ...(hasUniform ? [{ list: 3, isUniform: true }] : []),
      ];
      const split = (share: number) =>
        hasUniform ? [share * 0.8, (1 - share) * 0.8, 0.2] : [share, 1 - share];
      return {
        theta,
        arms,
        isEmpirical,
        expected,
        shares: [split(first), split(second)],
        requests: requests.map(({ lists, served, stratum, cluster, clicked, drawn }) => {
          const arm = served % arms.length;
          const shown = lists[arms[arm].list].slice(0, theta.length);
          const rewards = Object.fromEntries(
            clicked.filter((item) => shown.includes(item)).map((item, n) => [item, 1 + n / 2]),
          );
          return { lists, arm, stratum, cluster, candidates: ITEMS.length, drawn, rewards };
        }),
      };
    });

const logOf = ({ requests, arms, shares }: ArmWorld) =>
  servedLog(requests, { models: [...MODELS, 'random'], arms, shares }, expected);
const valuesOf = (world: ArmWorld, covariance?: SquareMatrix) =>
  valueByArms(logOf(world), {
    theta: world.theta,
    isJudged: false,
    shares: world.isEmpirical ? 'empirical' : 'declared',
    ...(covariance === undefined ? {} : { covariance }),
  });
const pick = (estimates: readonly ValueEstimate[], model: number, form: string) =>
  estimates.find(({ model: name, estimator }) => name === MODELS[model] && estimator === form);

/** Of log θ; not such that it cancels, since values do not change with the scale of θ. */
function aCovariance(size: number): SquareMatrix {
  const values = Float64Array.from({ length: size * size }, (_, at) =>
    at % (size + 1) === 0 ? 0.04 * (1 + at / (size + 1)) : 0.01,
  );
  return { size, values };
}

function expectClose(actual: number, wanted: number): void {
  // Nothing rewarded, nothing listed: both are undefined.
  if (Number.isNaN(wanted)) expect(actual).toBeNaN();
  else expect(Math.abs(actual - wanted)).toBeLessThan(1e-9 * Math.max(1, Math.abs(wanted)));
}

it('each form and its error equal their definitions, by empirical and declared shares', () => {
  fc.assert(
    fc.property(aWorld(9), (world) => {
      const estimates = valuesOf(world);
      for (const m of [0, 1, 2]) {
        const figures = world.requests.map((request) => requestFigures(world, request, m));
        const of = (key: 'target' | 'listed' | 'x') =>
          figures.reduce((total, each) => total + each[key], 0);
        const ips = pick(estimates, m, 'arms_ips')!;
        const byDefinition = ipsByDefinition(world, m);
        for (const key of ['value', 'stdErr', 'ess'] as const) {
          expectClose(
            ips[key],
            key === 'stdErr' ? onlyWithSpread(world, byDefinition[key]) : byDefinition[key],
          );
        }
        expectClose(ips.coverage, of('target') / of('listed'));
        const dr = pick(estimates, m, 'arms_dr')!;
        expectClose(dr.value, drByDefinition(world, m).value);
        expectClose(dr.stdErr, onlyWithSpread(world, drByDefinition(world, m).stdErr));
        if (of('x') === 0) continue;
        const snips = pick(estimates, m, 'arms_snips')!;
        expectClose(snips.value, snipsByDefinition(world, m).value);
        expectClose(snips.stdErr, snipsByDefinition(world, m).stdErr);
      }
    }),
  );
});

/** An error of a single cluster is unknown; the definition divides 0 by 0 or by 0 there. */
function onlyWithSpread(world: ArmWorld, stdErr: number): number {
  return new Set(world.requests.map(({ cluster }) => cluster)).size > 1 ? stdErr : Number.NaN;
}

it('the on-policy value of an arm is the stratified mean of its requests', () => {
  fc.assert(
    fc.property(aWorld(9), (world) => {
      const estimates = valuesOf(world);
      for (const arm of [0, 1]) {
        const own = world.requests.filter((q) => q.arm === arm);
        const estimate = pick(estimates, arm, 'on_policy');
        expect(estimate === undefined).toBe(own.length === 0);
        if (estimate === undefined) continue;
        const { value, stdErr } = onPolicyByDefinition(world, arm);
        expectClose(estimate.value, value);
        const isSpread = new Set(own.map(({ cluster }) => cluster)).size > 1;
        expectClose(estimate.stdErr, isSpread ? stdErr : Number.NaN);
      }
    }),
  );
});

it('ips and dr are unbiased over all assignments, and the mean of C is T', () => {
  fc.assert(
    fc.property(aWorld(3), (drawn) => {
      const arms = drawn.arms.filter(({ isUniform }) => isUniform !== true);
      const shares = drawn.shares.map((each) => [each[0], 1 - each[0]]);
      const world = { ...drawn, arms, shares, isEmpirical: false };
      const { requests, theta } = world;
      for (const m of [0, 2]) {
        const supported = requests.map(({ lists }, q) => {
          const shown = new Set([0, 1].flatMap((list) => lists[list].slice(0, theta.length)));
          const own = lists[m].slice(0, theta.length);
          const worths = own.map((item, k) => (shown.has(item) ? theta[k] * worth(item, q) : 0));
          return worths.reduce((total, each) => total + each, 0);
        });
        const truth = supported.reduce((total, each) => total + each, 0) / requests.length;
        for (const form of ['arms_ips', 'arms_dr']) {
          const mean = expectation(world, worth, (one) => pick(valuesOf(one), m, form)!.value);
          expectClose(mean, truth);
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
    // Eight ways to draw three arms, two lists, three forms each.
    { numRuns: repetitions(10, 100) },
  );
});

it('dr equals ips if r̂ = 0, and ips equals on-policy with one arm', () => {
  fc.assert(
    fc.property(aWorld(9), (world) => {
      const { requests, arms, shares, theta } = world;
      const zero = servedLog(requests, { models: [...MODELS, 'random'], arms, shares }, 0);
      const estimates = valueByArms(zero, { theta, isJudged: false });
      for (const m of [0, 1, 2]) {
        const [dr, ips] = ['arms_dr', 'arms_ips'].map((form) => pick(estimates, m, form)!);
        expectClose(dr.value, ips.value);
        expectClose(dr.stdErr, ips.stdErr);
      }
      const alone = requests.map((request) => {
        const items = request.lists[0].slice(0, theta.length);
        return {
          ...request,
          arm: 0,
          stratum: 0,
          rewards: Object.fromEntries(items.map((i) => [i, worth(i, 1)])),
        };
      });
      const log = servedLog(alone, {
        models: [...MODELS, 'random'],
        arms: [{ list: 0 }],
        shares: [[1]],
      });
      const [onPolicy, ips] = valueByArms(log, { theta, isJudged: false });
      expectClose(ips.value, onPolicy.value);
      expectClose(ips.stdErr, onPolicy.stdErr);
      expectClose(ips.ess, onPolicy.ess);
    }),
  );
});

it('slopes in log θ equal difference quotients', () => {
  const step = 1e-6;
  fc.assert(
    fc.property(aWorld(9), (world) => {
      const covariance = aCovariance(world.theta.length);
      const estimates = valuesOf(world, covariance);
      for (const [n, known] of valuesOf(world).entries()) {
        const { value, stdErr, byRank } = estimates[n];
        if (Number.isNaN(value)) continue;
        const variance = [...byRank].flatMap((each, k) =>
          [...byRank].map((other, l) => each * other * covariance.values[k * covariance.size + l]),
        );
        const added = variance.reduce((sum, each) => sum + each, 0);
        expectClose(stdErr, Math.sqrt(known.stdErr ** 2 + added));
      }
      for (let k = 1; k < world.theta.length; k++) {
        const moved = (by: number) =>
          valuesOf({
            ...world,
            theta: world.theta.map((each, l) => (l === k ? each * Math.exp(by) : each)),
          });
        const up = moved(step);
        const down = moved(-step);
        for (const [n, { value, byRank }] of estimates.entries()) {
          if (Number.isNaN(value)) continue;
          const slope = (up[n].value - down[n].value) / (2 * step);
          expect(Math.abs(byRank[k] - slope)).toBeLessThan(1e-6 * Math.max(1, Math.abs(slope)));
        }
      }
    }),
  );
});

it('with lists of sampled requests, ips is unchanged and the other forms use the sample', () => {
  const aSample = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(aWorld(9), aSample, (world, sample) => {
      const { theta, requests, arms, shares } = world;
      const design = { models: [...MODELS, 'random'], arms, shares };
      const whole = servedLog(requests, design, expected);
      const isListed = requests.map((_, q) => (sample[q] ? 1 : 0));
      // What is left of a request outside of the sample: its rewarded items.
      const rows = [...(whole.items.reward as number[])]
        .map((_, row) => row)
        .filter((row) => {
          return sample[whole.items.request[row]] || whole.items.reward[row] !== 0;
        });
      const kept = (column: ArrayLike<number>) => rows.map((row) => column[row]);
      const items = {
        length: rows.length,
        request: kept(whole.items.request),
        reward: kept(whole.items.reward),
        ranks: whole.items.ranks.map(kept),
        predicted: kept(whole.items.predicted!),
      };
      const log = { ...whole, requests: { ...whole.requests, isListed }, items };
      const shareForm = world.isEmpirical ? ('empirical' as const) : ('declared' as const);
      const covariance = aCovariance(theta.length);
      const how = { theta, shares: shareForm, isJudged: false, covariance };
      const sampled = valueByArms(log, how);
      const all = valueByArms(whole, how);
      for (const m of [0, 1, 2]) {
        const ips = pick(sampled, m, 'arms_ips')!;
        const same = pick(all, m, 'arms_ips')!;
        for (const key of ['value', 'stdErr', 'ess'] as const) expectClose(ips[key], same[key]);
        const figures = requests.map((request) => requestFigures(world, request, m));
        // Of a request outside of the sample ips: each is unbiased.
        const doubly = figures.reduce(
          (total, own, q) => total + (sample[q] ? own.doubly : own.x),
          0,
        );
        expectClose(pick(sampled, m, 'arms_dr')!.value, doubly / requests.length);
        const of = (key: 'x' | 'control' | 'target' | 'listed') => (q: number) =>
          (key === 'x' || sample[q] ? 1 : 0) * figures[q][key];
        const sum = (key: Parameters<typeof of>[0]) =>
          figures.reduce((total, _, q) => total + of(key)(q), 0);
        expectClose(ips.coverage, sum('target') / sum('listed'));
        if (sum('x') === 0 || sum('control') === 0) continue;
        const snips = pick(
          valueByArms(log, { theta, shares: shareForm, isJudged: false }),
          m,
          'arms_snips',
        )!;
        const value = ((sum('x') / sum('control')) * sum('target')) / requests.length;
        expectClose(snips.value, value);
        const byUser = [0, 1, 2, 3].map((user) =>
          requests.reduce((total, { cluster }, q) => {
            if (cluster !== user) return total;
            const psi =
              of('x')(q) / sum('x') -
              of('control')(q) / sum('control') +
              of('target')(q) / sum('target');
            return total + value * (psi - 1 / requests.length);
          }, 0),
        );
        expectClose(snips.stdErr, Math.hypot(...byUser));
      }
    }),
  );
});
