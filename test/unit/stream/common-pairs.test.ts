import { expect, it } from 'vitest';
import { ratingEvidence } from '../../../src/features/ratings/work.js';
import { smallOptions } from '../../support/log.js';
import { ratingEvents } from '../../support/rating-events.js';
import { evaluated } from '../../support/request-events.js';

const SCALE = { lowest: 1, highest: 5, step: 1 };
const USERS = 10;

/** Each of ten users gives one item a 4; a is off by .3, and b by .5 where it predicted it at all. */
async function evidenceOf(metric: 'mae' | 'mse' | 'rmse') {
  const log = ratingEvents({
    chosen: Array.from({ length: USERS }, () => [4]),
    random: [],
    propensities: Array.from({ length: USERS }, () => [1]),
    models: { b: () => 4.5, a: (user) => (user === 9 ? 4.5 : 4.3) },
  }).map((event) => {
    if (event.type !== 'exposure' || event.model !== 'b' || event.user !== 'u9') return event;
    const { scores: _, ...list } = event;
    return list;
  });
  const { estimates } = smallOptions();
  const snapshot = await evaluated(
    log,
    smallOptions({
      attributionTtlMs: 1e6,
      estimates: { ...estimates, metrics: [], estimators: ['naive'] },
      ratings: {
        metrics: [metric],
        ks: [],
        estimators: ['naive', 'snips'],
        scale: SCALE,
        propensity: 'logged',
        smoothing: 1,
        isCatalogueKnown: true,
        reference: 'b',
        decides: { metric, k: null },
      },
    }),
  );
  const [{ from, to, ratings }] = snapshot.windows;
  const look = { from, to, metric: { metric, k: null }, reference: 'b' };
  return ratingEvidence(ratings!, look)[0];
}

it('rating errors are compared on common pairs, and the scale bounds the rest', async () => {
  const { anchor, unpredicted } = await evidenceOf('mae');
  expect(anchor.value).toBeCloseTo(-0.2, 6);
  expect(anchor.stdErr).toBeCloseTo(0, 6);
  expect(unpredicted!.share).toBeCloseTo(0.1, 12);
  // a is off by .5 there, b by 0 to 4 − 1.
  expect(unpredicted!.least).toBeCloseTo((0.5 - 3) / 10, 6);
  expect(unpredicted!.most).toBeCloseTo(0.5 / 10, 6);
});

it('the scale bounds the mse of unpredicted pairs, but not the rmse', async () => {
  const { anchor, unpredicted } = await evidenceOf('mse');
  expect(anchor.value).toBeCloseTo(0.09 - 0.25, 6);
  expect(unpredicted!.least).toBeCloseTo((0.25 - 9) / 10, 6);
  expect(unpredicted!.most).toBeCloseTo(0.25 / 10, 6);
  expect((await evidenceOf('rmse')).objection?.reason).toBe('unpredicted');
});
