import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../src/features/values/arms/value-by-arms.js';
import { examinationByArms } from '../../src/features/values/examination-by-arms.js';
import { itAtNight } from '../support/at-night.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import {
  expectSound,
  meanError,
  REQUESTS,
  tally,
  truthsOf,
  WINDOWS,
} from '../support/value-tally.js';
import { ValueWorld, WORLD_THETA } from '../support/value-world.js';

/** Users who click four times as much are served A in 75 % of their requests, the others in 25 %. */
const PERSONAL = { personal: 0.25, isPredicted: true };
const FORMS = ['arms_ips', 'arms_snips', 'arms_dr'];

describe('shares that depend on the user', () => {
  it('weight each request by its own share: values are unbiased and intervals cover', () => {
    const of = tally(PERSONAL);
    for (const arm of ['A', 'B']) expectSound(of(arm, 'on_policy'));
    for (const model of ['A', 'B', 'near', 'best']) {
      for (const form of FORMS) expectSound(of(model, form));
    }
    expect(of('best', 'arms_ips').refused).toBeLessThanOrEqual(IS_LONG ? 0.03 * WINDOWS : 1);
    expect(of('best', 'arms_ips').codes.get('partly_supported')).toBe(WINDOWS);
  });

  it('bias the value of an arm if pooled into one share', () => {
    const seeds = repetitions(1, 25);
    let pooled = 0;
    let all = 0;
    for (let n = 0; n < seeds; n++) {
      const world = new ValueWorld({ seed: 40 + n, requests: REQUESTS, ...PERSONAL });
      const { log } = world.draw();
      const { share: _, ...requests } = log.requests;
      const find = (of: typeof log) =>
        valueByArms(of, { theta: WORLD_THETA, isJudged: false }).find(
          ({ model, estimator }) => model === 'A' && estimator === 'on_policy',
        )!.value;
      pooled +=
        find({ ...log, shares: [[0.5, 0.5]], requests }) / truthsOf(world)('A', 'on_policy');
      all++;
    }
    expect(pooled / all - 1).toBeGreaterThan(0.2);
  });

  itAtNight('give sound values also if users keep their arm', () => {
    const of = tally({ ...PERSONAL, unit: 'user', perUser: 10 });
    for (const arm of ['A', 'B']) expectSound(of(arm, 'on_policy'));
    for (const form of FORMS) expectSound(of('best', form));
    expect(of('A', 'on_policy').refused).toBeLessThanOrEqual(IS_LONG ? 0.03 * WINDOWS : 1);
  });

  it('give examination probabilities within two standard errors of the truth', () => {
    const seeds = repetitions(2, 120);
    let inRange = 0;
    for (let n = 0; n < seeds; n++) {
      const { log } = new ValueWorld({
        seed: 7_000 + n,
        requests: 5 * REQUESTS,
        ...PERSONAL,
      }).draw();
      const { theta, covariance } = examinationByArms(log, WORLD_THETA.length);
      for (let k = 1; k < theta.length; k++) {
        const error = Math.log(theta[k] / WORLD_THETA[k]);
        if (Math.abs(error) < 2 * Math.sqrt(covariance.values[k * theta.length + k])) inRange++;
      }
    }
    expect(inRange / (seeds * 5)).toBeGreaterThan(IS_LONG ? 0.93 : 0.65);
  });
});

describe('logged shares that differ from the real ones', () => {
  it.each([
    ['are about one half for all', (share: number) => 0.5 + 0.05 * (share - 0.5)],
    ['are those of the other arm', (share: number) => 1 - share],
    ['are off by a tenth', (share: number) => share + 0.1],
  ])('are refused if they %s', (_, says) => {
    const of = tally({ ...PERSONAL, says });
    const { codes, refused, bias } = of('A', 'on_policy');
    expect(Math.abs(bias)).toBeGreaterThan(0.03);
    expect(codes.get('sample_ratio_mismatch')).toBeGreaterThan(0.9 * WINDOWS);
    expect(refused).toBeGreaterThan(0.9 * WINDOWS);
    expect(of('best', 'arms_snips').refused).toBeGreaterThan(0.9 * WINDOWS);
  });
});

it('errors by shares per request equal those by declared shares', () => {
  const of = tally({ personal: 1e-9, isPredicted: true });
  const declared = tally({}, { shares: 'declared' });
  const ratio = meanError(of('best', 'arms_ips')) / meanError(declared('best', 'arms_ips'));
  expect(Math.abs(ratio - 1)).toBeLessThan(IS_LONG ? 0.02 : 0.1);
});
