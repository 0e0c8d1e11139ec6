import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../src/rows/reading.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

const BASE = smallOptions();
const options = (feedback: 'withhold' | 'caution') =>
  smallOptions({
    windows: [{ name: 'short', ms: 20 }],
    attributionTtlMs: 15,
    estimates: {
      ...BASE.estimates,
      metrics: ['recall'],
      ks: [2],
      estimators: ['naive'],
      feedback,
    },
  });

const list = (id: string, user: string, model: string, shown: boolean, ts: number): Event => ({
  type: 'exposure',
  id,
  ts,
  user,
  model,
  items: ['a', 'b'],
  shown,
});
const click = (id: string, user: string, item: string, ts: number, exposure?: string): Event => ({
  type: 'interaction',
  id,
  ts,
  user,
  item,
  ...(exposure !== undefined && { exposure }),
});

function windowsOf(log: readonly Event[], feedback: 'withhold' | 'caution', partitions = 1) {
  const { snapshots } = feed(log, options(feedback), { partitions, batchSize: 3, run: 1 });
  return snapshots.map((snapshot: Snapshot) => snapshot.windows[0]);
}

describe('a pair with unattributed interactions after an attributed one', () => {
  const MINUTE = 60_000;
  const slow = smallOptions({
    tickMs: 10 * MINUTE,
    windows: [{ name: '2h', ms: 120 * MINUTE }],
    attributionTtlMs: 300 * MINUTE,
    estimates: options('caution').estimates,
  });
  /** The log has two pairs: one clicked in the list, and one with the interactions `others`. */
  const feedbackOf = (others: readonly (readonly [minute: number, exposure?: string])[]) => {
    const log = [
      list('s', 'u', 'shown', true, 1),
      click('b', 'u', 'b', 2 * MINUTE, 's'),
      ...others.map(([minute, exposure], n) => click(`a${n}`, 'u', 'a', minute * MINUTE, exposure)),
    ];
    const { snapshots } = feed(log, slow, { partitions: 1, batchSize: 3, run: 1 });
    return snapshots.at(-1)!.windows[0].feedback;
  };

  it.each([
    ['in the same pane', [3, 9]],
    ['in the next pane', [3, 12]],
    ['half an hour later', [3, 33]],
    ['over hours, each within half an hour of the one before', [3, 30, 55, 75, 100]],
  ])('counts as driven by the list if they follow %s', (_, [first, ...rest]) => {
    const named = [[first!, 's'] as const];
    const found = feedbackOf([...named, ...rest.map((minute) => [minute] as const)]);
    expect(found).toMatchObject({ source: 'named', caused: 1, uncaused: null });
  });

  it('does not cover another user or another item', () => {
    const log = [
      list('s', 'u', 'shown', true, 1),
      list('t', 'v', 'shown', true, 1),
      click('1', 'u', 'a', 2 * MINUTE, 's'),
      click('2', 'v', 'a', 12 * MINUTE),
      click('3', 'u', 'b', 12 * MINUTE),
    ];
    const { snapshots } = feed(log, slow, { partitions: 1, batchSize: 3, run: 1 });
    expect(snapshots.at(-1)!.windows[0].feedback?.caused).toBeCloseTo(1 / 3, 12);
  });
});

describe('withheld estimates', () => {
  /** A pane with 100 clicks, one per user, of which this many are attributed to a list. */
  const pane = (number: number, caused: number): Event[] =>
    Array.from({ length: 100 }, (_, n) => `u${n}`).flatMap((user, n) => {
      const ts = 20 * number + 1;
      const isCaused = n < caused;
      const id = `${number}-${user}`;
      return [
        list(`s${id}`, user, 'shown', true, ts),
        list(`h${id}`, user, 'hidden', false, ts),
        click(`c${id}`, user, 'a', ts + 2, isCaused ? `s${id}` : undefined),
      ];
    });

  it('are reported again only below a caused share of .08, whatever the partitions', () => {
    const shares = [9, 11, 9, 8, 7, 9];
    const log = shares.flatMap((caused, number) => pane(number, caused));
    for (const partitions of [1, 3]) {
      const windows = windowsOf(log, 'withhold', partitions).filter(({ to }) => to % 20 === 10);
      const hidden = windows.map(({ results }) =>
        reasonOf(results.find(({ model }) => model === 'hidden')!),
      );
      const held = 'caused_by_lists';
      expect(hidden.slice(0, 6)).toEqual([null, held, held, held, null, null]);
    }
  });
});
