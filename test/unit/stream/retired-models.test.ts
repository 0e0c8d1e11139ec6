import { describe, expect, it } from 'vitest';
import type { MonitorOptions } from '../../../src/stream/options.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { type Event, type Fed, feed, quickOptions, withNaive } from '../../support/log.js';

const one = { partitions: 1, batchSize: 7, run: 1 };
const START = 1000;
/** Panes of 10 ms, windows of 60, lists rank for 50: quiet after 12 panes. */
const options = (overrides: Partial<MonitorOptions> = {}) =>
  quickOptions({
    ...withNaive(),
    maxModels: 2,
    popularity: { horizonMs: 200, of: 'positive' },
    ...overrides,
  });

/** A list of the model and a click on it, every other ms. */
function traffic(models: readonly string[], from: number, to: number): Event[] {
  const events: Event[] = [];
  for (let ts = from; ts < to; ts += 2) {
    const user = `u${(ts / 2) % 7}`;
    const model = models[(ts / 2) % models.length]!;
    const items = ['a', 'b', 'c', 'd'];
    events.push({ type: 'exposure', id: `e${ts}`, ts, user, model, items });
    events.push({ type: 'interaction', id: `x${ts}`, ts: ts + 1, user, item: 'abcd'[ts % 4]! });
  }
  return events;
}

/** A list of a name that never comes again. */
const once = (name: string, ts: number): Event => ({
  type: 'exposure',
  id: `once-${name}`,
  ts,
  user: 'u1',
  model: name,
  items: ['a', 'b'],
});

const newest = ({ snapshots }: Fed): Snapshot => snapshots.at(-1)!;
const valuesOf = ({ windows }: Snapshot, model: string) =>
  windows[0]!.results.filter((row) => row.model === model && Number.isFinite(row.value));

describe('model names that occur once', () => {
  const garbage = (count: number, to: number) =>
    Array.from({ length: count }, (_, n) => {
      const ts = START + Math.floor(((to - START) * n) / count);
      return once(`request-${n}`, ts);
    });

  it('do not displace recurring models, and are counted', () => {
    const models = ['a', 'b'];
    const steady = traffic(models, START, START + 300);
    const log = [...steady, ...garbage(300, START + 300)].sort((a, b) => +a.ts - +b.ts);
    const fed = feed(log, options(), one);
    const wanted = feed(steady, options(), one);
    const last = newest(fed);
    expect(last.models).toEqual(models);
    expect(valuesOf(last, 'a').length).toBeGreaterThan(0);
    expect(last.modelsLeftOut!.models).toBeGreaterThan(2);
    expect(fed.listsLeftOut).toBeGreaterThan(250);
    const naive = (fed: Fed) =>
      newest(fed).windows[0]!.results.filter(({ estimator }) => estimator === 'naive');
    expect(naive(fed).length).toBeGreaterThan(0);
    expect(naive(fed)).toEqual(naive(wanted));
  });
});
