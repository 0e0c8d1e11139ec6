import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StreamSettings, totals, windowTruth } from '../oracle/stream.js';
import { type Event, feed, smallOptions } from '../support/log.js';
import { repetitions } from '../support/repetitions.js';

const USERS = ['u0', 'u1', 'u2', 'u3'];
const ITEMS = ['i0', 'i1', 'i2', 'i3', 'i4'];

const drawn = fc.record({
  exposure: fc.boolean(),
  step: fc.nat(5),
  user: fc.constantFrom(...USERS),
  model: fc.constantFrom('a', 'b'),
  items: fc.shuffledSubarray(ITEMS, { minLength: 1 }),
  shown: fc.boolean(),
  randomized: fc.boolean(),
  item: fc.constantFrom(...ITEMS),
  value: fc.constantFrom(0, 1, 1),
});

const aLog = fc.array(drawn, { minLength: 20, maxLength: 120, size: 'max' }).map((events) => {
  let ts = 5000;
  return events.map(({ exposure, step, item, value, ...list }, n): Event => {
    ts += step;
    return exposure
      ? { type: 'exposure', id: `e${n}`, ts, ...list }
      : { type: 'interaction', id: `x${n}`, ts, user: list.user, item, value };
  });
});

describe('each closed pane', () => {
  it('reports the numbers that the definitions give for the whole log', () => {
    fc.assert(
      fc.property(
        aLog,
        fc.constantFrom('positive' as const, 'all' as const),
        fc.integer({ min: 1, max: 4 }),
        (log, of, partitions) => {
          const settings: StreamSettings = {
            horizonMs: 200,
            ttlMs: 50,
            of,
            gamma: 1.6,
            smoothing: 0.5,
            k: 2,
          };
          const options = smallOptions({
            popularity: { horizonMs: settings.horizonMs, of },
            gamma: { ...smallOptions().gamma, use: settings.gamma, periodMs: 60 },
          });
          const { snapshots } = feed(log, options, { partitions, batchSize: 9, run: 2 });
          for (const { paneEnd, popularity, windows, catalogueSize } of snapshots) {
            const { popular, shown, named } = totals(log, paneEnd, settings);
            expect(catalogueSize).toBe(named.size);
            expect(popularity.interactions.total).toBe(popular.length);
            for (const [model, { total }] of Object.entries(popularity.exposures)) {
              const counted = shown.flatMap((e) =>
                e.type === 'exposure' && e.model === model ? e.items : [],
              );
              expect(total).toBe(counted.length);
            }
            for (const window of windows) {
              const truth = windowTruth(log, paneEnd, window.to - window.from, settings);
              const { interactions, positives, users } = window.counts;
              expect({ interactions, positives, users, recall: truth.recall }).toEqual(truth);
              const found = window.results.filter(
                (r) => r.metric === 'recall' && r.k === settings.k && r.form === 'pooled',
              );
              for (const { model, estimator, value } of found) {
                if (estimator !== 'naive' && estimator !== 'snips' && estimator !== 'wtd_h')
                  continue;
                const wanted = truth.recall[model]![estimator];
                expect(Math.abs(value - wanted), `${estimator} of ${model}`).toBeLessThan(1e-9);
              }
              expect(found.length > 0).toBe(Object.keys(truth.recall).length > 0);
            }
          }
        },
      ),
      { numRuns: repetitions(4, 25) },
    );
  });
});
