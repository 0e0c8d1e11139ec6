import { describe, expect, it } from 'vitest';
import { driftReadings } from '../../../../src/features/drift/drift-readings.js';
import type { RatingOptions } from '../../../../src/features/ratings/rating-options.js';
import { seeded } from '../../../oracle/random.js';
import { driftOptions, paneSnapshot, sources } from '../../../support/drift.js';
import { type Event, feed, smallOptions } from '../../../support/log.js';
import { ratingsReportOf } from '../../../support/ratings-report.js';

const MSE = { metric: 'mse', k: null } as const;
const PANE_MS = 100;
const USERS = 130;
const FAILS = 30;
const PANES = 40;
const ASKED: RatingOptions = {
  metrics: ['mse'],
  ks: [],
  estimators: ['naive', 'snips'],
  propensity: 'nb',
  smoothing: 1,
  isCatalogueKnown: true,
  scale: { lowest: 1, highest: 5, step: 1 },
};

/** Users rate one item a pane by choice, mostly a liked one, and one at random. */
function log(failing: string | undefined): Event[] {
  const random = seeded(11);
  const events: Event[] = [];
  const rating = (liked: number) => (random() < liked ? 4 : 1) + Math.floor(2 * random());
  for (let pane = 0; pane < PANES; pane++) {
    for (let u = 0; u < USERS; u++) {
      const user = `u${u}`;
      const ts = pane * PANE_MS + 1;
      const items = [`i${2 * pane}`, `i${2 * pane + 1}`];
      const chosen = rating(0.8);
      const drawn = rating(0.4);
      for (const model of ['a', 'b']) {
        const width = model === failing && pane >= FAILS ? 2 : 1;
        const scores = [chosen, drawn].map((value) => value + width * (2 * random() - 1));
        events.push({
          type: 'exposure',
          id: `${model}-${pane}-${u}`,
          ts,
          user,
          model,
          items,
          scores,
        });
      }
      const named = { type: 'interaction', user } as const;
      events.push(
        { ...named, id: `c-${pane}-${u}`, ts: ts + 50, item: items[0], value: chosen },
        {
          ...named,
          id: `r-${pane}-${u}`,
          ts: ts + 50,
          item: items[1],
          value: drawn,
          randomized: true,
        },
      );
    }
  }
  return events;
}

function alarmsOf(failing: string | undefined) {
  const drift = driftOptions({
    windowMs: PANE_MS,
    metric: undefined,
    ratings: MSE,
    learn: 20,
    hold: 2,
    standardisation: 'ranks',
    detectors: ['cusum'],
  });
  const options = smallOptions({
    ratings: ASKED,
    drift,
    windows: [{ name: 'w', ms: PANE_MS }],
    tickMs: PANE_MS,
    attributionTtlMs: PANE_MS,
    estimates: { ...smallOptions().estimates, metrics: [], estimators: ['naive'] },
  });
  const { snapshots } = feed(log(failing), options, { partitions: 2, batchSize: 50, run: 1 });
  return snapshots.flatMap(({ alarms = [], paneEnd }) => alarms.filter(({ at }) => at === paneEnd));
}

describe('the drift of rating errors', () => {
  it('raises alarms within five panes for the failing model alone', () => {
    const alarms = alarmsOf('b');
    const found = alarms.filter(({ suppressed }) => suppressed === null);
    expect(found.map(({ series }) => series)).toContain('estimate/snips/mse/b');
    expect(found.map(({ models }) => models)).toEqual(found.map(() => ['b']));
    const first = Math.min(...found.map(({ at }) => at));
    expect(first).toBeGreaterThan(FAILS * PANE_MS);
    expect(first).toBeLessThanOrEqual((FAILS + 5) * PANE_MS);
  });

  it('is read from estimates and their gap to naive, with a reason for few users', () => {
    const snapshot = paneSnapshot(3, { models: { a: { naive: 0.3, snips: 0.2 } } });
    const mae = { metric: 'mae', k: null } as const;
    const read = (ratings: typeof mae | undefined, baseline: string | null = null) =>
      driftReadings(
        {
          ...snapshot,
          baseline,
          windows: [{ ...snapshot.windows[0], ratings: ratingsReportOf() }],
        },
        sources(),
        driftOptions({ ratings, metric: undefined }),
      );
    const weight = 0.0625 ** -2;
    const few = 'effective sample size 7.0 is below 30';
    const of = { kind: 'level', model: 'a', weight, reason: few, dependsOnVolume: false };
    expect(read(mae)).toEqual([
      { ...of, series: 'estimate/naive/mae/a', value: 0.5 },
      { ...of, series: 'estimate/snips/mae/a', value: 0.75 },
      { ...of, series: 'gap/snips/mae/a', value: -0.25 },
    ]);
    expect(read(mae, 'a')).toEqual([]);
    expect(read(undefined)).toEqual([]);
  });
});
