import fc from 'fast-check';
import type { PlainRow, PlainUser, PlainWindow } from './window.js';

const ITEMS = 12;
const CANDIDATES = [0, 0x4000, 0x8000, 0xc000];

const rank = fc.oneof(
  { weight: 6, arbitrary: fc.nat(11) },
  { weight: 3, arbitrary: fc.constant('absent' as const) },
  { weight: 1, arbitrary: fc.constant('unranked' as const) },
);

function row(models: number, propensity: fc.Arbitrary<number | undefined>): fc.Arbitrary<PlainRow> {
  return fc.record({
    item: fc.nat(ITEMS - 1),
    traffic: fc.constantFrom(
      ['organic' as const],
      ['organic' as const],
      ['randomized' as const],
      ['organic' as const, 'randomized' as const],
    ),
    propensity,
    positive: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
    ranks: fc.array(rank, { minLength: models, maxLength: models }),
    lists: fc.array(
      fc.record({ length: fc.constant(12), candidates: fc.constantFrom(...CANDIDATES) }),
      { minLength: models, maxLength: models },
    ),
  });
}

/** Sixteenths are the same as float32. */
const sixteenths = fc.integer({ min: 1, max: 16 }).map((n) => n / 16);
const propensities = [
  fc.constant(undefined),
  sixteenths,
  fc.oneof(sixteenths, fc.constant(undefined)),
];

function user(
  models: number,
  maxRows: number,
  propensity: fc.Arbitrary<number | undefined>,
): fc.Arbitrary<PlainUser> {
  return fc.record({
    count: fc.nat(20),
    randomized: fc.nat(3),
    rows: fc.uniqueArray(row(models, propensity), { selector: (r) => r.item, maxLength: maxRows }),
  });
}

const reach = fc.record({
  users: fc.integer({ min: 8, max: 12 }),
  items: fc.array(fc.nat(8), { minLength: ITEMS, maxLength: ITEMS }),
});

/** Random windows over 12 items: two models, cold items, users without rows, every kind of list. */
export function plainWindow({ maxRows = 6, minCount = 0 } = {}): fc.Arbitrary<PlainWindow> {
  const count = fc.integer({ min: minCount, max: 9 });
  return fc
    .record({
      popularity: fc.array(count, { minLength: ITEMS, maxLength: ITEMS }),
      randomized: fc.array(fc.nat(2), { minLength: ITEMS, maxLength: ITEMS }),
      negatives: fc.array(fc.nat(3), { minLength: ITEMS, maxLength: ITEMS }),
      users: fc.oneof(
        ...propensities.map((own) => fc.array(user(2, maxRows, own), { maxLength: 9 })),
      ),
      shownAtRandom: fc.constantFrom(0, 30, Number.NaN),
      reach: fc.option(reach, { nil: undefined }),
      ids: fc.shuffledSubarray([...'abcdefghijkl'], { minLength: ITEMS }),
    })
    .map(({ popularity, negatives, ...rest }) => ({
      ...rest,
      models: ['first', 'second'],
      popularity,
      interactions: popularity.map((n, i) => n + negatives[i]),
    }));
}

/** The same window with all of one model's lists of one kind and every rank known. */
export function withRanks(
  window: PlainWindow,
  rankOf: (row: PlainRow, model: number) => PlainRow['ranks'][number],
): PlainWindow {
  return {
    ...window,
    users: window.users.map((own) => ({
      ...own,
      rows: own.rows.map((r) => ({ ...r, ranks: r.ranks.map((_, m) => rankOf(r, m)) })),
    })),
  };
}
