import { beforeAll, describe, expect, it } from 'vitest';
import type { RatingsReport } from '../../src/features/ratings/rating-report.js';
import { needsData } from '../support/published-data.js';
import { ratingsOf } from '../support/rating-events.js';
import { coatMatrix, coatRatings } from './coat.js';

const USERS = 290;
const ITEMS = 300;
const ALL = { scale: { lowest: 1, highest: 5, step: 1 }, isCatalogueKnown: true, smoothing: 0 };

/** Its error is the rating itself. */
const ZERO = { zero: () => 0 };
const MARGIN = 2e-6;

describe('the mean rating of Coat, through events', needsData('coat'), () => {
  let logged: RatingsReport;
  let bayes: RatingsReport;
  const clipped = new Map<number, RatingsReport>();
  beforeAll(async () => {
    const chosen = coatRatings('train');
    const random = coatRatings('test');
    const propensities = coatMatrix('propensities');
    const log = { chosen, random, propensities, models: ZERO };
    const estimators = ['naive', 'snips', 'ips'] as const;
    const asked = { ...ALL, metrics: ['mae'], ks: [], estimators } as const;
    logged = await ratingsOf(log, { ...asked, propensity: 'logged' });
    bayes = await ratingsOf(log, { ...asked, propensity: 'nb' });
    for (const maxWeight of [20, 50, 100]) {
      clipped.set(maxWeight, await ratingsOf(log, { ...asked, propensity: 'logged', maxWeight }));
    }
  });

  const readValue = (report: RatingsReport, estimator: string) =>
    report.estimates.find((row) => row.estimator === estimator && row.form === 'pooled')?.value ??
    expect.fail(`${estimator} is missing`);

  it('has its known values with the published propensities', () => {
    expect(Math.abs(readValue(logged, 'naive') - 2.611494)).toBeLessThan(MARGIN);
    expect(Math.abs(readValue(logged, 'snips') - 2.330803)).toBeLessThan(MARGIN);
    expect(Math.abs(readValue(logged, 'ips') - 2.424185)).toBeLessThan(MARGIN);
    expect(logged.propensity.weightShare).toBeCloseTo(1.0401, 4);
    expect(logged.counts).toMatchObject({ rated: 6960, random: 4640, users: USERS });
  });

  it.each([
    [20, 0.681],
    [50, 0.913],
    [100, 1.024],
  ])(
    'reports the remaining weight share and the clipping bias with weights up to %i',
    (most, share) => {
      const { propensity, estimates } = clipped.get(most)!;
      expect(propensity.weightShare).toBeCloseTo(share, 3);
      const ips = estimates.find(({ estimator }) => estimator === 'ips')!;
      expect(ips.more?.clippingBias).toBeCloseTo(ips.value - readValue(logged, 'ips'), 9);
    },
  );

  it('equals the mean of the random ratings with naive Bayes propensities', () => {
    expect(Math.abs(readValue(bayes, 'snips') - 2.228879)).toBeLessThan(MARGIN);
    expect(Math.abs(readValue(bayes, 'ips') - 2.228879)).toBeLessThan(MARGIN);
    const found = bayes.propensity.byRating.map(({ propensity }) => propensity);
    for (const [r, known] of [0.053958, 0.08525, 0.091391, 0.106084, 0.153425].entries()) {
      expect(Math.abs(found[r] - known)).toBeLessThan(1e-6);
    }
    expect(bayes.propensity.pairs).toBe(USERS * ITEMS);
    expect(bayes.propensity.weightShare).toBeCloseTo(1, 12);
  });
});
