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

/** Looks every six hours at two arms. */
const ARMS = { models: 2, rows: 2800, looksPerDay: 4, users: 1600, byValue: true };

/** Better by day, worse by night, and nothing in sum: as many steps, named by their ends, of either. */
const byDay = (size: number) => (day: number) => ((day - 1e-9) % 1 < 0.5 ? size : -size);
const byDayOf = <World extends object>(world: World) => ({ ...world, better: byDay(0.1) });

function shareOf(
  worlds: number,
  world: Omit<VerdictWorld, 'seed'>,
  holds: (world: VerdictWorld) => boolean,
): number {
  let found = 0;
  for (let seed = 1; seed <= worlds; seed++) if (holds({ ...world, seed })) found++;
  return found / worlds;
}

/** 5 % plus three standard errors for this number of worlds. */
function mostOf(worlds: number): number {
  return 0.05 + 3 * Math.sqrt((0.05 * 0.95) / worlds);
}

describe('equal models over a week of looks', () => {
  it.each([
    ['of two', WORLD, 2, 150],
    ['of two with strong tastes', { ...WORLD, tastes: 0.4 }, 2, 80],
    ['of two whose users come once', { ...WORLD, users: 1_000_000, tastes: 0 }, 1, 80],
    ['of two, one better by day and worse by night', { ...WORLD, better: byDay(0.1) }, 2, 80],
    ['of two arms, by value', ARMS, 2, 150],
    ['of two arms, alike above the first difference', { ...ARMS, above: 0.75 }, 2, 150],
    // The sharper form is wrong, and prefers one in many of them; the anchor holds it back.
    [
      'of two arms, where users choose by the whole list',
      { ...ARMS, above: 0.75, bias: 0.02 },
      4,
      150,
    ],
  ] as const)(
    'one %s is preferred in at most one world of twenty',
    (_, world, short, long) => {
      const worlds = repetitions(short, long);
      const share = shareOf(worlds, world, isEverPreferred);
      expect(share).toBeLessThanOrEqual(mostOf(worlds));
    },
    600_000,
  );

  const ONCE = { ...WORLD, users: 1_000_000, tastes: 0 };
  const FIFTEEN = { ...WORLD, rows: 30_000 };
  for (const [name, world] of [
    ['16 with lasting tastes', { ...WORLD, models: 16 }],
    ['16 whose users come once', { ...ONCE, models: 16 }],
    ['16 with a control', { ...WORLD, models: 16, hasControl: true }],
    ['64 with lasting tastes', { ...WORLD, models: 64 }],
    ['64 with a control', { ...WORLD, models: 64, hasControl: true }],
    ['16, one better by day and worse by night', byDayOf({ ...WORLD, models: 16 })],
    ['two at 15 times the traffic', FIFTEEN],
    ['two, one better by day and worse by night, at 15 times the traffic', byDayOf(FIFTEEN)],
    ['four arms, by value', { ...WORLD, models: 4, byValue: true }],
    ['16 arms, by value', { ...WORLD, models: 16, byValue: true }],
    ['two arms, by value, whose users come once', { ...ARMS, users: 1_000_000, tastes: 0 }],
    ['two arms, by value, one better by day and worse by night', byDayOf(ARMS)],
  ] as const) {
    itAtNight(
      `one of ${name} is preferred in at most one world of twenty`,
      async ({ annotate }) => {
        const worlds = world.models === 64 ? 40 : 80;
        const share = shareOf(worlds, world, isEverPreferred);
        await annotate(`preferred in ${share} of ${worlds} weeks`);
        expect(share).toBeLessThanOrEqual(mostOf(worlds));
      },
      3_000_000,
    );
  }

  it('reach the same verdicts if pairs far from a verdict are skipped', () => {
    const world = { ...WORLD, models: 4, looksPerDay: 8, seed: 3, better: () => 0.03 };
    const proved = (isClearOnly: boolean) =>
      [...verdictsIn(world, isClearOnly)].filter(({ verdict }) => verdict.state === 'prefer');
    expect(proved(true)).toEqual(proved(false));
    expect(proved(true).length).toBeGreaterThan(10);
  });

  it('would be preferred in over 20 % of worlds by a repeatedly checked 95 % interval', () => {
    const worlds = repetitions(8, 80);
    const share = shareOf(worlds, { ...WORLD, tastes: 0 }, isEverClear);
    expect(share).toBeGreaterThan(0.2);
  });
});

describe('a better model', () => {
  const power = (world: Omit<VerdictWorld, 'seed'>) =>
    shareOf(repetitions(10, 80), world, isEverPreferred);

  it('is preferred at least as often with the sharper form as without', async ({ annotate }) => {
    const arms = { ...ARMS, tastes: 0, better: () => 0.02 };
    const alone = power({ ...arms, above: 0.75, isAnchorOnly: true });
    const beside = power({ ...arms, above: 0.75 });
    await annotate(`preferred in ${alone} of weeks, beside the sharper form in ${beside}`);
    expect(beside).toBeGreaterThanOrEqual(alone);
    expect(beside).toBeGreaterThan(0.3);
  }, 600_000);

  /** Days until it is preferred; Infinity for never. */
  function daysUntil(world: VerdictWorld): number {
    for (const { day, verdict } of verdictsIn(world, true)) {
      if (verdict.state === 'prefer') return day;
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * The error of a first day, as variances of many average out: few weights are large, so that one
   * day may have too small an error by a tenth, and a delay goes by its square.
   */
  function firstDayError(days: number, world: Omit<VerdictWorld, 'seed'>): number {
    let squares = 0;
    for (let seed = 1; seed <= days; seed++) {
      for (const { stdErr } of verdictsIn({ ...world, days: 1, seed })) squares += stdErr ** 2;
    }
    return Math.sqrt(squares / days);
  }

  /** The median in worlds where the difference is so many errors of the first day. */
  function medianDays(errors: number, worlds: number, comparisons = 1, days = 14): number {
    const once = { ...WORLD, users: 1_000_000, tastes: 0, comparisons, days };
    const stdErr = firstDayError(2 * worlds, once);
    const found = Array.from({ length: worlds }, (_, w) =>
      daysUntil({ ...once, seed: w + 1, better: () => errors * stdErr }),
    );
    return found.sort((a, b) => a - b)[worlds >> 1]!;
  }

  it('ahead by four standard errors of a day is preferred within a median of 1.5 days', () => {
    expect(medianDays(4, repetitions(5, 40))).toBeLessThan(1.5);
  }, 600_000);

  // Median days by K, of differences of 4, 2 and 1 errors of the first day, as they were foretold.
  for (const [comparisons, ...foretold] of [
    [1, 1, 2, 7.9],
    [15, 1.04, 3.4, 13.9],
    [63, 1.2, 4.3, 17.1],
    [2016, 1.6, 6, 24.3],
  ] as const) {
    for (const [place, errors] of [4, 2, 1].entries()) {
      const days = foretold[place]!;
      itAtNight(
        `ahead by ${errors} standard errors of a day is preferred after about ${days} days among ${comparisons} pairs`,
        async ({ annotate }) => {
          const median = medianDays(errors, 40, comparisons, Math.ceil(2.5 * days) + 1);
          await annotate(`after ${median} days`);
          expect(Math.abs(median - days)).toBeLessThan(0.25 * days + 0.3);
        },
        3_000_000,
      );
    }
  }
});
