import { describe, expect, it } from 'vitest';
import { isGiven, reasonOf } from '../../../src/rows/reading.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

const BASE = smallOptions();
const options = (feedback: 'withhold' | 'caution') =>
  smallOptions({
    windows: [{ name: 'short', ms: 20 }],
    attributionTtlMs: 15,
    estimates: {
      ...{ ...BASE.estimates, metrics: ['recall'], ks: [2], estimators: ['naive'] },
      feedback,
    },
  });

const list = (id: string, user: string, model: string, shown: boolean, ts: number): Event => ({
  ...{ type: 'exposure', id, ts, user, model, items: ['a', 'b'], shown },
});
const click = (id: string, user: string, item: string, ts: number, exposure?: string): Event => ({
  ...{ type: 'interaction', id, ts, user, item },
  ...(exposure !== undefined && { exposure }),
});

function windowsOf(log: readonly Event[], feedback: 'withhold' | 'caution', partitions = 1) {
  const { snapshots } = feed(log, options(feedback), { partitions, batchSize: 3, run: 1 });
  return snapshots.map((snapshot: Snapshot) => snapshot.windows[0]);
}

describe('an interaction is caused', () => {
  const lists = [list('s', 'u', 'shown', true, 1), list('h', 'u', 'hidden', false, 1)];
  const causedBy = (exposure: string | undefined, item = 'a', at = 3) => {
    const log = [...lists, click('c', 'u', item, at, exposure), click('o', 'u', 'b', 4)];
    const [{ results, feedback }] = windowsOf(log, 'caution');
    const own = results.find((row) => row.model === 'shown' && row.form === 'pooled')?.more.own;
    return { caused: feedback?.caused, own };
  };

  it("by the shown list that it names, which is its model's own", () => {
    expect(causedBy('s')).toEqual({ caused: 0.5, own: 0.5 });
  });

  it("by a list that does not hold its item, which is then nobody's own", () => {
    expect(causedBy('s', 'z')).toEqual({ caused: 0.5, own: 0 });
  });

  it("by a list that is not known, which is then nobody's own", () => {
    expect(causedBy('elsewhere')).toEqual({ caused: 0.5, own: 0 });
  });

  it('by no list that was not shown, and by none where it names none', () => {
    expect(causedBy('h')).toEqual({ caused: Number.NaN, own: Number.NaN });
    expect(causedBy(undefined)).toEqual({ caused: Number.NaN, own: Number.NaN });
  });
});

describe('a pair that a list brought and that stands without a list as well', () => {
  const MINUTE = 60_000;
  const slow = smallOptions({
    ...{ tickMs: 10 * MINUTE, windows: [{ name: '2h', ms: 120 * MINUTE }] },
    attributionTtlMs: 300 * MINUTE,
    estimates: options('caution').estimates,
  });
  /** Of two pairs one was clicked in the list; `others` are interactions with the other's item. */
  const feedbackOf = (others: readonly (readonly [minute: number, exposure?: string])[]) => {
    const log = [
      list('s', 'u', 'shown', true, 1),
      click('b', 'u', 'b', 2 * MINUTE, 's'),
      ...others.map(([minute, exposure], n) => click(`a${n}`, 'u', 'a', minute * MINUTE, exposure)),
    ];
    const { snapshots } = feed(log, slow, { partitions: 1, batchSize: 3, run: 1 });
    return snapshots.at(-1)!.windows[0].feedback;
  };

  it('was found if it was found first', () => {
    expect(feedbackOf([[3], [12, 's']])).toMatchObject({ caused: 0.5, uncaused: { rows: 1 } });
  });

  it.each([
    ['in the same pane', [3, 9]],
    ['in the next one', [3, 12]],
    ['half an hour later', [3, 33]],
    ['hours later, each half an hour after the one before', [3, 30, 55, 75, 100]],
  ])('was brought if that follows: %s', (_, [first, ...rest]) => {
    const named = [[first!, 's'] as const];
    const found = feedbackOf([...named, ...rest.map((minute) => [minute] as const)]);
    expect(found).toMatchObject({ source: 'named', caused: 1, uncaused: null });
  });

  it.each([3, 4, 12, 20])(
    'was brought where the list led to a look at it, and minute %i to more',
    (minute) => {
      const look: Event = {
        ...{ type: 'interaction', id: 'look', ts: 2 * MINUTE, user: 'u', item: 'a' },
        ...{ exposure: 's', value: 0 },
      };
      const log = [
        list('s', 'u', 'shown', true, 1),
        look,
        click('b', 'u', 'b', 2 * MINUTE, 's'),
        click('bought', 'u', 'a', minute * MINUTE),
      ];
      const { snapshots } = feed(log, slow, { partitions: 1, batchSize: 3, run: 1 });
      expect(snapshots.at(-1)!.windows[0].feedback).toMatchObject({ caused: 1, uncaused: null });
    },
  );

  it('was found where a list that was drawn at random brought it first', () => {
    const drawn: Event = {
      ...{ type: 'exposure', id: 'r', ts: 1, user: 'u', model: 'shown', items: ['a', 'b'] },
      randomized: true,
    };
    const log = [
      ...[drawn, list('s', 'u', 'shown', true, 2), click('b', 'u', 'b', 2 * MINUTE, 's')],
      click('1', 'u', 'a', 2 * MINUTE, 'r'),
    ];
    const of = (minute: number) => {
      const whole = [...log, click('2', 'u', 'a', minute * MINUTE)];
      const { snapshots } = feed(whole, slow, { partitions: 1, batchSize: 3, run: 1 });
      return snapshots.at(-1)!.windows[0].feedback;
    };
    for (const minute of [4, 14, 60]) expect(of(minute)?.caused).toBe(0.5);
  });

  it('was found where the user came back to it later', () => {
    expect(feedbackOf([[3, 's'], [50]])).toMatchObject({ caused: 0.5, uncaused: { rows: 1 } });
    const others = [[3, 's'], [30], [75]] as const;
    expect(feedbackOf(others)).toMatchObject({ caused: 0.5, uncaused: { rows: 1 } });
  });

  it('is another one where another user, or the same with another item, follows', () => {
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

it('one arm without names leaves the cause unknown: everything is given', () => {
  const log = [list('s', 'u', 'shown', true, 1), click('1', 'u', 'a', 3), click('2', 'v', 'b', 4)];
  const [{ feedback, results }] = windowsOf(log, 'withhold');
  expect(feedback).toMatchObject({ source: 'unknown', caused: Number.NaN, arms: null });
  expect(results.every((row) => isGiven(row) && row.value >= 0)).toBe(true);
});

describe('what is withheld', () => {
  /** This many of 100 clicks of a pane are caused, each by its own user. */
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

  it('is given again below .08 only, whatever the partitions', () => {
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
