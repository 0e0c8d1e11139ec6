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
  it('matches its definition, and is 0 unless it is the longest silence yet', () => {
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
  it.each([
    [0.5, 40],
    [0.8, 14],
    [0.95, 8],
    [1, 2],
  ])('at a rate of %d is reported within %d panes after it vanishes', (rate, within) => {
    for (let seed = 1; seed <= repetitions(40, 400); seed++) {
      const random = seeded(seed);
      const state = newPresenceSeries();
      alarms(state, 200, () => random() < rate);
      const [at] = alarms(state, 60, () => false, {}, 200);
      expect(at! - 199, `seed ${seed}`).toBeLessThanOrEqual(within);
    }
  });
});

describe('regular silences', () => {
  it('at night and at weekends raise no alarm from the second week on', () => {
    const isAtWork = (hour: number) =>
      Math.floor((hour % WEEK) / 24) < 5 && hour % 24 >= 8 && hour % 24 < 20;
    const found = alarms(newPresenceSeries(), 6 * WEEK, isAtWork, { seasonSlots: WEEK });
    // The first weekend is longer than any night.
    expect(found.length).toBeLessThanOrEqual(1);
    expect(found.every((pane) => pane < WEEK)).toBe(true);
  });
});
