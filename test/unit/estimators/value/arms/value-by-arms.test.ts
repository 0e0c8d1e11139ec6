import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../../../../src/estimators/value/arms/value-by-arms.js';
import type { ValueEstimate } from '../../../../../src/estimators/value/value-estimate.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../../../support/golden-arms.js';
import { servedLog } from '../../../../support/value-log.js';

const DIGITS = 13;

function find(estimates: readonly ValueEstimate[], model: string, estimator: string) {
  const found = estimates.find((each) => each.model === model && each.estimator === estimator);
  return found ?? expect.fail(`${estimator} of ${model} is missing`);
}

describe('four requests of two arms with θ = (1, 1/2)', () => {
  const log = servedLog(FOUR_REQUESTS, HALF_AND_HALF, 1 / 4);
  const empirical = valueByArms(log, { theta: TWO_PLACES });
  const declared = valueByArms(log, { theta: TWO_PLACES, shares: 'declared' });

  it.each([
    ['A', 2 / 3],
    ['B', 5 / 6],
    ['S', 13 / 12],
  ])('give %s the value %d by inverse propensities', (model, value) => {
    expect(find(empirical, model, 'arms_ips').value).toBeCloseTo(value, DIGITS);
    expect(find(declared, model, 'arms_ips').value).toBeCloseTo(value, DIGITS);
  });

  it('give the arms 1 and 1/2 on policy, and the challenger nothing', () => {
    expect(find(empirical, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
    expect(find(empirical, 'B', 'on_policy').value).toBeCloseTo(1 / 2, DIGITS);
    expect(empirical.some((each) => each.model === 'S' && each.estimator === 'on_policy')).toBe(
      false,
    );
  });

  it('give the challenger se² 37/216 with empirical shares, 25/144 with declared ones', () => {
    expect(find(empirical, 'S', 'arms_ips').stdErr ** 2).toBeCloseTo(37 / 216, DIGITS);
    expect(find(declared, 'S', 'arms_ips').stdErr ** 2).toBeCloseTo(25 / 144, DIGITS);
  });

  it('cover 3/4 of the challenger, with 169/61 effective rewards', () => {
    const { coverage, ess, bound } = find(empirical, 'S', 'arms_ips');
    expect(coverage).toBeCloseTo(3 / 4, DIGITS);
    expect(ess).toBeCloseTo(169 / 61, DIGITS);
    expect(bound).toBeNaN();
  });

  it('bound the whole list by what its unsupported places may be worth', () => {
    const [{ bound }] = valueByArms(log, { theta: TWO_PLACES, mostReward: 2 }).filter(
      ({ model, estimator }) => model === 'S' && estimator === 'arms_ips',
    );
    // Σ θ of w: 1/2 at q2, 1 at q4.
    expect(bound).toBeCloseTo(13 / 12 + (2 * 3) / 2 / 4, DIGITS);
  });

  it('give 13/16 self-normalised, se² 1583/27648', () => {
    const { value, stdErr } = find(empirical, 'S', 'arms_snips');
    expect(value).toBeCloseTo(13 / 16, DIGITS);
    expect(stdErr ** 2).toBeCloseTo(1583 / 27648, DIGITS);
  });

  it('give 95/96 doubly robust with r̂ = 1/4, se² 1913/13824', () => {
    const { value, stdErr } = find(empirical, 'S', 'arms_dr');
    expect(value).toBeCloseTo(95 / 96, DIGITS);
    expect(stdErr ** 2).toBeCloseTo(1913 / 13824, DIGITS);
  });
});
