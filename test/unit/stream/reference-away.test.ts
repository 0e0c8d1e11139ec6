import { expect, it } from 'vitest';
import { BASELINE_MODEL } from '../../../src/estimators/diagnostics/popularity-baseline.js';
import { liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { QUALITY } from '../../support/http-server.js';
import { type Event, feed, quickOptions } from '../../support/log.js';

/** Both models have a list for every user. */
const LOG = Array.from({ length: 9 }, (_, n): Event[] => {
  const [user, ts] = [`u${n}`, 1000 + n];
  const list = (model: string, items: string[]): Event => ({
    ...{ type: 'exposure', id: `${model}-${n}`, ts, user, model, items },
  });
  return [
    list('m0', ['a', 'b', 'c']),
    list('m1', ['b', 'c', 'a']),
    { type: 'interaction', id: `x${n}`, ts: ts + 1, user, item: 'abc'[n % 3]! },
  ];
}).flat();

function newest(reference: string | undefined, changes: Partial<MonitorOptions> = {}) {
  const estimates = { ...quickOptions().estimates, reference };
  const how = { partitions: 1, batchSize: 1000, run: 1 };
  const options = quickOptions({ ...changes, estimates });
  return feed(LOG, options, how).snapshots.at(-1)!;
}

it('a model to compare with that sends no lists is named where nothing is compared', () => {
  const snapshot = newest('nobody');
  for (const window of snapshot.windows) {
    expect(window.differences).toEqual([]);
    expect(window.referenceAway).toBe('nobody');
  }
  const codes = liveTick(snapshot, QUALITY, {})!.window.findings.map(({ code }) => code);
  expect(codes).toContain('reference_away');
});

it.each([
  ['one that has lists', 'm1', {}],
  ['none, so that it is the first', undefined, {}],
  ['the built-in one', BASELINE_MODEL, { baseline: 'popularity' }],
] as const)('nothing is said where it is %s', (_, reference, changes) => {
  for (const window of newest(reference, changes).windows) {
    expect(window.differences.length).toBeGreaterThan(0);
    expect(window).not.toHaveProperty('referenceAway');
  }
});
