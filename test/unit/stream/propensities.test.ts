import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '../../../src/estimators/names.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

type Exposure = Extract<Event, { type: 'exposure' }>;

const click = (id: string, ts: number, user: string, item: string, exposure?: string): Event => ({
  type: 'interaction',
  id,
  ts,
  user,
  item,
  ...(exposure === undefined ? {} : { exposure }),
});
const list = (id: string, ts: number, items: string[], more: Partial<Exposure> = {}): Event => ({
  type: 'exposure',
  id,
  ts,
  user: 'u',
  model: 'm',
  items,
  ...more,
});

/** The window of 20 ms that ends at 20, over a catalogue of 10 items. */
function windowOf(log: readonly Event[], attributionTtlMs = 50): Snapshot['windows'][number] {
  const { estimates } = smallOptions();
  const estimators: EstimatorName[] = ['ips'];
  const options = smallOptions({
    attributionTtlMs,
    catalogueSize: 10,
    estimates: { ...estimates, metrics: ['recall'], ks: [2], estimators },
  });
  const ordered = [...log].sort((a, b) => Number(a.ts) - Number(b.ts));
  const end = [click('end', 90, 'nobody', 'z')];
  const { snapshots } = feed([...ordered, ...end], options, {
    partitions: 2,
    batchSize: 3,
    run: 1,
  });
  return snapshots.find(({ paneEnd }) => paneEnd === 20)!.windows[0]!;
}

const only = ({ results }: Snapshot['windows'][number]) => {
  expect(results).toHaveLength(1);
  return results[0]!;
};

describe('IPS with logged propensities', () => {
  it('takes them from the attributed list, else from the latest served list with the item', () => {
    const window = windowOf([
      list('e1', 1, ['a', 'b'], { propensities: [0.5, 0.25] }),
      list('e2', 2, ['a', 'c'], { propensities: [0.125, 0.0625] }),
      click('i1', 3, 'u', 'a', 'e1'),
      list('s', 4, ['c'], { model: 'shadow', shown: false, propensities: [1] }),
      click('i2', 5, 'u', 'c'),
    ]);
    expect(window.absoluteScale).toEqual({ scale: 'logged', passedOver: [], loggedShare: 1 });
    const own = window.results.find(({ model }) => model === 'm')!;
    // Ranks 0 (in e1) and 1: both hits. (1 / 0.5 + 1 / 0.0625) / 10.
    expect(own.value).toBeCloseTo(1.8, 12);
  });
});

describe('IPS by randomised traffic', () => {
  const log = [
    list('e1', 1, ['a', 'b']),
    list('r1', 2, ['c', 'd', 'e', 'f'], { user: 'v', model: 'uniform', randomized: true }),
    click('i1', 3, 'u', 'a', 'e1'),
    click('i2', 3, 'v', 'c', 'r1'),
  ];

  it('scales to the share of relevant items in random lists', () => {
    const window = windowOf(log);
    expect(window.absoluteScale!.scale).toBe('randomized');
    expect(window.randomized.itemsShown).toBe(4);
    // One of 4 items shown at random was relevant: 2.5 of 10. One row stands for them, a hit.
    expect(only(window).value).toBeCloseTo(0.25, 12);
  });
});
