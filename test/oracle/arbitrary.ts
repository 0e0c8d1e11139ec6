import fc from 'fast-check';
import type { PlainRow, PlainUser, PlainWindow } from './window.js';

const ITEMS = 12;
const CANDIDATES = [0, 0x4000, 0x8000, 0xc000];

const rank = fc.oneof(
  { weight: 6, arbitrary: fc.nat(11) },
  { weight: 3, arbitrary: fc.constant('absent' as const) },
  { weight: 1, arbitrary: fc.constant('unranked' as const) },
);

function row(models: number): fc.Arbitrary<PlainRow> {
  return fc.record({
    item: fc.nat(ITEMS - 1),
    traffic: fc.constantFrom(
      ['organic' as const],
      ['organic' as const],
      ['randomized' as const],
      ['organic' as const, 'randomized' as const],
    ),
    positive: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
    ranks: fc.array(rank, { minLength: models, maxLength: models }),
    lists: fc.array(
      fc.record({ length: fc.constant(12), candidates: fc.constantFrom(...CANDIDATES) }),
      { minLength: models, maxLength: models },
    ),
  });
}

function user(models: number, maxRows: number): fc.Arbitrary<PlainUser> {
  return fc.record({
    count: fc.nat(20),
    randomized: fc.nat(3),
    rows: fc.uniqueArray(row(models), { selector: (r) => r.item, maxLength: maxRows }),
  });
}

/** Random windows over 12 items: two models, cold items, users without rows, every kind of list. */
export function plainWindow({ maxRows = 6, minCount = 0 } = {}): fc.Arbitrary<PlainWindow> {
  const count = fc.integer({ min: minCount, max: 9 });
  return fc
    .record({
      popularity: fc.array(count, { minLength: ITEMS, maxLength: ITEMS }),
      randomized: fc.array(fc.nat(2), { minLength: ITEMS, maxLength: ITEMS }),
      negatives: fc.array(fc.nat(3), { minLength: ITEMS, maxLength: ITEMS }),
      users: fc.array(user(2, maxRows), { maxLength: 9 }),
      ids: fc.shuffledSubarray([...'abcdefghijkl'], { minLength: ITEMS }),
    })
    .map(({ popularity, randomized, negatives, users, ids }) => ({
      models: ['first', 'second'],
      popularity,
      randomized,
      interactions: popularity.map((n, i) => n + negatives[i]),
      ids,
      users,
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
