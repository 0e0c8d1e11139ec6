import fc from 'fast-check';
import type { MonitorOptions } from '../../src/stream/options.js';
import { type Event, quickOptions } from './log.js';
import { aLogOf } from './random-log.js';
import { repetitions } from './repetitions.js';

/** Two models are evaluated at most; one is quiet after 9 panes of 10 ms. */
export const TURNOVER: MonitorOptions = quickOptions({
  maxModels: 2,
  attributionTtlMs: 15,
  popularity: { horizonMs: 240, of: 'positive' },
  windows: [
    { name: 'short', ms: 20 },
    { name: 'long', ms: 60 },
  ],
});

/** Models that come and go, this many at a time: half of them are others in each stretch of 120 ms. */
export const aTurnoverOf = (models: 2 | 4) =>
  aLogOf(repetitions(90, 150), undefined, repetitions(80, 120)).map((log) =>
    log.map((event, n): Event => {
      if (event.type === 'interaction') return event;
      const stretch = Math.floor((event.ts as number) / 120);
      return { ...event, model: `m${(stretch * models) / 2 + ((n * 7) % models)}` };
    }),
  );

/** With lists of names that never come again between them. */
export const withNamesThatComeOnce = (log: readonly Event[], every: number): Event[] =>
  log.flatMap((event, n): Event[] => {
    if (n % every !== 0) return [event];
    const { user, ts } = event;
    const name = { model: `request-${(n * 37) % 1000}`, items: ['i0', 'i1'] };
    return [event, { type: 'exposure', id: `once${n}`, ts, user, ...name }];
  });

export const aFeed = fc.record({
  partitions: fc.integer({ min: 1, max: 5 }),
  batchSize: fc.integer({ min: 1, max: 40 }),
  run: fc.integer({ min: 1, max: 5 }),
});
