import { describe, expect, it } from 'vitest';
import { itAtNight } from '../../support/at-night.js';
import { repetitions } from '../../support/repetitions.js';
import {
  isEverClear,
  isEverPreferred,
  type VerdictWorld,
  verdictsIn,
} from '../../support/verdict-world.js';

/** Half-hour looks for a week, 2,000 users who come back with lasting tastes. */
const WORLD = { models: 2, rows: 2000, looksPerDay: 48 };

/** Better by day, worse by night, and nothing in sum. */
const byDay = (size: number) => (day: number) => (day % 1 <= 0.5 ? size : -size);

function shareOf(
  worlds: number,
  world: Omit<VerdictWorld, 'seed'>,
  holds: (world: VerdictWorld) => boolean,
): number {
  let found = 0;
  for (let seed = 1; seed <= worlds; seed++) if (holds({ ...world, seed })) found++;
  return found / worlds;
}

/** At most one in twenty, with as much more as chance may bring to so few worlds. */
function mostOf(worlds: number): number {
  return 0.05 + 3 * Math.sqrt((0.05 * 0.95) / worlds);
}

describe('equal models over a week of looks', () => {
  it.each([
    ['of two', WORLD, 10, 400],
    ['of two with strong tastes', { ...WORLD, tastes: 0.4 }, 6, 200],
    ['of two whose users come once', { ...WORLD, users: 1_000_000, tastes: 0 }, 2, 200],
    ['of two, one better by day and worse by night', { ...WORLD, better: byDay(0.1) }, 6, 200],
    ['of two arms, by value', { ...WORLD, byValue: true }, 6, 400],
  ] as const)(
    'one %s is preferred in at most one world of twenty',
    (_, world, short, long) => {
      const worlds = repetitions(short, long);
      const share = shareOf(worlds, world, isEverPreferred);
      expect(share).toBeLessThanOrEqual(mostOf(worlds));
    },
    600_000,
  );

  itAtNight(
    'so are 16, 64 with a control and 64 among all',
    () => {
      for (const [world, worlds] of [
        [{ ...WORLD, models: 16, looksPerDay: 4 }, 200],
        [{ ...WORLD, models: 64, looksPerDay: 4, hasControl: true }, 200],
        [{ ...WORLD, models: 64, looksPerDay: 4 }, 200],
        [{ ...WORLD, models: 4, looksPerDay: 4, byValue: true }, 200],
      ] as const) {
        const share = shareOf(worlds, world, isEverPreferred);
        expect(share, `${world.models}`).toBeLessThanOrEqual(mostOf(worlds));
      }
    },
    3_000_000,
  );

  itAtNight(
    'so is one better by day, at 15 times the traffic',
    () => {
      const world = { ...WORLD, rows: 30_000, better: byDay(0.1) };
      const share = shareOf(200, world, isEverPreferred);
      expect(share).toBeLessThanOrEqual(mostOf(200));
    },
    3_000_000,
  );

  it('would be preferred in most by an interval of 95 % that is looked at again and again', () => {
    const worlds = repetitions(8, 200);
    const share = shareOf(worlds, { ...WORLD, tastes: 0 }, isEverClear);
    expect(share).toBeGreaterThan(0.2);
  });
});

describe('a better model', () => {
  /** Days until it is preferred; Infinity for never. */
  function daysUntil(world: VerdictWorld): number {
    for (const { day, verdict } of verdictsIn(world)) if (verdict.state === 'prefer') return day;
    return Number.POSITIVE_INFINITY;
  }

  /** The median in worlds where the difference is so many errors of the first day. */
  function medianDays(errors: number, worlds: number, models = 2): number {
    const once = { ...WORLD, users: 1_000_000, tastes: 0, models, hasControl: true };
    let stdErr = 0;
    for (const seen of verdictsIn({ ...once, models: 2, days: 1, seed: 99 })) ({ stdErr } = seen);
    const found = Array.from({ length: worlds }, (_, w) =>
      daysUntil({ ...once, days: 14, seed: w + 1, better: () => errors * stdErr }),
    );
    return found.sort((a, b) => a - b)[worlds >> 1]!;
  }

  it('of four errors a day is preferred when the first day is over, or soon after', () => {
    expect(medianDays(4, repetitions(5, 200))).toBeLessThan(1.5);
  }, 600_000);

  itAtNight(
    'of two errors a day is preferred after two days, of one after about eight',
    () => {
      const two = medianDays(2, 200);
      const one = medianDays(1, 200);
      expect(Math.abs(two - 2)).toBeLessThan(0.8);
      expect(Math.abs(one - 7.9)).toBeLessThan(2.5);
    },
    3_000_000,
  );
});
