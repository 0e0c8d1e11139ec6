import { describe, expect, it } from 'vitest';
import { ipsRating, snipsRating } from '../../../src/estimators/mean-rating.js';
import { learnedPropensities } from '../../../src/estimators/propensity/learned-propensities.js';
import type {
  LogisticFile,
  PropensityModel,
} from '../../../src/estimators/propensity/propensity-file.js';
import {
  expectedMargins,
  type UsedPropensities,
} from '../../../src/estimators/propensity/used-propensities.js';
import type { RatingOptions } from '../../../src/features/ratings/rating-options.js';
import type { RatingsReport } from '../../../src/features/ratings/rating-report.js';
import { differences } from '../../support/compare.js';
import { feed, smallOptions } from '../../support/log.js';
import { type RatingLog, ratingEvents, ratingsOf } from '../../support/rating-events.js';

const LOG: RatingLog = {
  chosen: [
    [5, 4, 0, 5, 0],
    [0, 5, 2, 0, 4],
    [3, 0, 5, 0, 5],
  ],
  random: [
    [0, 0, 1, 0, 2],
    [1, 0, 0, 3, 0],
    [0, 4, 0, 5, 0],
  ],
  models: { fours: () => 4, own: (user, item) => 1 + ((user + 2 * item) % 5) },
};
/** P = σ(γ_u + β_i). */
const LR: LogisticFile = {
  kind: 'lr',
  l2: 1,
  offsets: 'both',
  rate: 1,
  seed: 0,
  intercept: 0,
  weights: [],
  users: { ids: ['u0', 'u1', 'u2'], names: [], features: [[], [], []], offsets: [0.3, -0.2, 0] },
  items: {
    ids: ['i4', 'i3', 'i2', 'i1', 'i0'],
    names: [],
    features: [[], [], [], [], []],
    offsets: [0.5, 0.25, 0, -0.25, -0.5],
  },
  itemSums: [2, 1, 2, 2, 2],
};
const p = (user: number, item: number) =>
  1 / (1 + Math.exp(-([0.3, -0.2, 0][user] + (item - 2) * 0.25)));

function used(model: PropensityModel): UsedPropensities {
  return {
    kind: model.kind,
    version: '0123456789abcdef',
    date: new Date(1000).toISOString(),
    learned: learnedPropensities(model),
    margins: expectedMargins(model),
    comparison: null,
  };
}
function asked(model: PropensityModel, more: Partial<RatingOptions> = {}): RatingOptions {
  return {
    metrics: ['mae', 'accuracy'],
    ks: [],
    estimators: ['naive', 'snips', 'ips'],
    propensity: 'file',
    smoothing: 1,
    isCatalogueKnown: true,
    scale: { lowest: 1, highest: 5, step: 1 },
    file: { current: () => used(model) },
    ...more,
  };
}
const chosen = LOG.chosen.flatMap((row, user) =>
  row.flatMap((rating, item) => (rating === 0 ? [] : [{ user, item, rating }])),
);
const value = ({ estimates }: RatingsReport, model: string, estimator: string, metric = 'mae') =>
  estimates.find(
    (row) =>
      row.model === model &&
      row.metric === metric &&
      row.estimator === estimator &&
      row.form === 'pooled',
  ) ?? expect.fail(`${estimator} of ${model} is missing`);

describe('ratings weighted by a file of learned propensities', () => {
  it('use the propensity of user and item, whatever the order of their ids', async () => {
    const report = await ratingsOf(LOG, asked(LR));
    const delta = chosen.map(({ rating }) => Math.abs(rating - 4));
    const chance = chosen.map(({ user, item }) => p(user, item));
    expect(value(report, 'fours', 'snips').value).toBeCloseTo(snipsRating(delta, chance), 12);
    expect(value(report, 'fours', 'ips').value).toBeCloseTo(ipsRating(delta, chance, 15), 12);
    const { source, without, file } = report.propensity;
    expect({ source, without }).toEqual({ source: 'file', without: 0 });
    expect(file).toMatchObject({ kind: 'lr', version: '0123456789abcdef' });
    expect(file!.date).toBe('1970-01-01T00:00:01.000Z');
    expect(file!.unknown).toEqual({ users: 0, items: 0, values: 0 });
  });

  it('give a stream the estimates of an evaluation, with one or three partitions', async () => {
    const { file: inReport, ...propensity } = (await ratingsOf(LOG, asked(LR))).propensity;
    const report = await ratingsOf(LOG, asked(LR));
    const options = smallOptions({
      ratings: asked(LR),
      windows: [{ name: 'w', ms: 10_000 }],
      tickMs: 10_000,
      attributionTtlMs: 1e6,
      estimates: { ...smallOptions().estimates, metrics: [], estimators: ['naive'] },
    });
    for (const partitions of [1, 3]) {
      const run = feed(ratingEvents(LOG), options, { partitions, batchSize: 3, run: 1 });
      const streamed = run.snapshots[0].windows[0].ratings!;
      expect(differences(streamed.estimates, report.estimates, 1e-9)).toEqual([]);
      const { file, ...others } = streamed.propensity;
      expect(differences(others, propensity, 1e-9)).toEqual([]);
      expect(file!.drift).toEqual(inReport!.drift);
      expect(file!.ageMs).toBe(9000);
    }
  });

  it('use one version of the file for all windows of a tick', () => {
    let asks = 0;
    const source = { current: () => ({ ...used(LR), version: String(asks++) }) };
    const options = smallOptions({
      ratings: asked(LR, { file: source }),
      windows: [5000, 10_000].map((ms) => ({ name: String(ms), ms })),
      tickMs: 5000,
      attributionTtlMs: 1e6,
    });
    const { snapshots } = feed(ratingEvents(LOG), options, { partitions: 1, batchSize: 3, run: 1 });
    const versions = snapshots.map(({ windows }) => [
      ...new Set(windows.map(({ ratings }) => ratings!.propensity.file!.version)),
    ]);
    expect(versions.every((each) => each.length === 1)).toBe(true);
    expect(new Set(versions.flat()).size).toBe(snapshots.length);
  });
});
