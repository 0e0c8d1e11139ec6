import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  newPresenceSeries,
  observePresence,
  type PresenceSeriesState,
  restartPresence,
  vanishedScore,
} from '../../../../src/features/drift/presence-series.js';
import { seeded } from '../../../oracle/random.js';
import { vanishedByDefinition } from '../../../oracle/vanished.js';
import { repetitions } from '../../../support/repetitions.js';

const A = 500;
const WEEK = 168;

describe('the score of a silence', () => {
  it('is that of its definition, where it is longer than any before', () => {
    const before = fc.array(fc.boolean(), { maxLength: 20 }).map((panes) => [...panes, true]);
    fc.assert(
      fc.property(before, fc.integer({ min: 2, max: 8 }), (panes, more) => {
        const text = panes.map(Number).join('');
        const longest = Math.max(...text.split('1').map(({ length }) => length));
        const absent = longest + more;
        const found = vanishedScore(text, absent);
        expect(found / vanishedByDefinition(panes, absent)).toBeCloseTo(1, 4);
        expect(vanishedScore(text, longest)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('names a model that was always there after 2 panes, 3 among more models, 4 among many', () => {
    const panesToAlarm = (learned: number, models: number) =>
      [1, 2, 3, 4, 5, 6].find((r) => vanishedScore('1'.repeat(learned), r) >= models * A);
    expect([1, 2, 3, 22, 23, 175].map((models) => panesToAlarm(24, models))).toEqual([
      2, 2, 3, 3, 4, 4,
    ]);
    expect([1, 10, 200].map((models) => panesToAlarm(400, models))).toEqual([2, 2, 2]);
    // With few panes known more are needed.
    expect(panesToAlarm(8, 1)).toBe(3);
    expect(panesToAlarm(8, 20)).toBe(6);
  });

  it('stays a number, and is none where nothing is known', () => {
    expect(Number.isFinite(vanishedScore('1'.repeat(400), 400))).toBe(true);
    expect(vanishedScore('', 5)).toBe(0);
    expect(vanishedScore('1', 0)).toBe(0);
  });
});

interface Watched {
  readonly models?: number;
  readonly seasonSlots?: number;
}

/** Panes in which one of the models that are watched raised an alarm. */
function alarms(
  state: PresenceSeriesState,
  panes: number,
  hasLists: (pane: number) => boolean,
  { models = 1, seasonSlots = 1 }: Watched = {},
  first = 0,
): number[] {
  const options = { learn: 24, seasonMs: seasonSlots === 1 ? null : seasonSlots };
  const found: number[] = [];
  for (let from = first; from < first + panes; from++) {
    const pane = { from, to: from + 1, slot: from % seasonSlots };
    const evidence = observePresence(state, hasLists(from), pane, options);
    if (evidence === null || evidence.score < models * A) continue;
    found.push(from);
    restartPresence(state);
  }
  return found;
}

describe('a model whose lists come at random', () => {
  for (const rate of [0.5, 0.8, 0.95, 0.99]) {
    // Of 20,000 panes 40 may be alarms. The short form, of 12, notices four times as many.
    it(`in ${100 * rate} % of the panes gives no more false alarms than is promised`, () => {
      const random = seeded(Math.round(1000 * rate));
      const panes = repetitions(6000, 200_000);
      const found = alarms(newPresenceSeries(), panes, () => random() < rate).length;
      expect(found).toBeLessThanOrEqual(panes / A + 3 * Math.sqrt(panes / A));
    });
  }

  it.each([
    [0.5, 40],
    [0.8, 14],
    [0.95, 8],
    [1, 2],
  ])('at a rate of %d is named within %d panes when it is gone', (rate, within) => {
    for (let seed = 1; seed <= repetitions(40, 400); seed++) {
      const random = seeded(seed);
      const state = newPresenceSeries();
      alarms(state, 200, () => random() < rate);
      const [at] = alarms(state, 60, () => false, {}, 200);
      expect(at! - 199, `seed ${seed}`).toBeLessThanOrEqual(within);
    }
  });
});

describe('silences that come in stretches, which no steady rate explains,', () => {
  it('are alarms each time where they are long, since an alarm forgets what was, and none where short', () => {
    // 40 panes with lists, then 6 without, over and over.
    const found = alarms(newPresenceSeries(), 1000, (pane) => pane % 46 < 40);
    expect(found[0]).toBeLessThan(46);
    expect(found.length).toBeGreaterThan(10);
    const short = alarms(newPresenceSeries(), 1000, (pane) => pane % 23 < 20);
    expect(short).toEqual([]);
  });

  it('of nights and weekends are known from the second week on', () => {
    const isAtWork = (hour: number) =>
      Math.floor((hour % WEEK) / 24) < 5 && hour % 24 >= 8 && hour % 24 < 20;
    const found = alarms(newPresenceSeries(), 6 * WEEK, isAtWork, { seasonSlots: WEEK });
    // The first weekend is longer than any night.
    expect(found.length).toBeLessThanOrEqual(1);
    expect(found.every((pane) => pane < WEEK)).toBe(true);
  });

  it('do not hide that a model is gone: it is missed at the hours at which it should be there', () => {
    const isAtWork = (hour: number) =>
      Math.floor((hour % WEEK) / 24) < 5 && hour % 24 >= 8 && hour % 24 < 20;
    const state = newPresenceSeries();
    const watched = { seasonSlots: WEEK };
    alarms(state, 4 * WEEK, isAtWork, watched);
    const [at] = alarms(state, WEEK, () => false, watched, 4 * WEEK);
    // Monday, the third hour from eight.
    expect(at! - 4 * WEEK - 8).toBeLessThanOrEqual(4);
  });
});

it('a model that is gone is one alarm, and another only after it was back for a while', () => {
  const gone = (pane: number) => pane < 50 || (pane >= 100 && pane < 130);
  expect(alarms(newPresenceSeries(), 300, gone)).toEqual([51, 131]);
  const brief = (pane: number) => pane < 50 || (pane >= 100 && pane < 110);
  expect(alarms(newPresenceSeries(), 300, brief)).toEqual([51]);
});
