import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { fitLogistic, OFFSETS } from '../../../../src/estimators/propensity/fit-logistic.js';
import { noColumns, onesColumn, sparseRows } from '../../../../src/estimators/propensity/logits.js';
import { pairDesign } from '../../../../src/estimators/propensity/pair-design.js';
import { type SlowRegression, slowObjective } from '../../../oracle/logistic.js';

/** Two of ten users without the feature rated the item, three of five with it. */
const TOY = pairDesign(
  Array.from({ length: 15 }, (_, user) => (user < 2 || (user >= 10 && user < 13) ? [0] : [])),
  1,
);
const HAS = Array.from({ length: 15 }, (_, user) => [Number(user >= 10)]);

/** A world whose pairs are observed by features and offsets; nobody has none or all. */
function world(seed: number, users: number, items: number) {
  const random = new Random(seed, 'logistic world');
  const rows = (count: number, width: number) =>
    Array.from({ length: count }, () =>
      Array.from({ length: width }, () => (random.next() < 0.4 ? random.normal() : 0)),
    );
  const x = rows(users, 2);
  const z = rows(items, 3);
  const observed = x.map((row, user) =>
    z.map((other, item): 0 | 1 => {
      if ((user + item) % 5 === 0) return 1;
      if ((user + item) % 5 === 1) return 0;
      return random.next() < 1 / (1 + Math.exp(1 - row[0] * other[1])) ? 1 : 0;
    }),
  );
  return { x, z, observed, l2: 0.5, rate: 1 } satisfies SlowRegression;
}

const itemsOf = (row: readonly (0 | 1 | undefined)[]) =>
  row.flatMap((o, item) => (o === 1 ? [item] : []));

describe('the logistic regression of observed pairs', () => {
  it('has a gradient of 0 by its definition, for each choice of offsets', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom(...OFFSETS),
        fc.integer({ min: 5, max: 12 }),
        fc.integer({ min: 5, max: 12 }),
        (seed, offsets, users, items) => {
          const slow = world(seed, users, items);
          const design = pairDesign(slow.observed.map(itemsOf), items);
          const features = { users: sparseRows(slow.x), items: sparseRows(slow.z) };
          const fit = fitLogistic(design, features, { l2: slow.l2, offsets });
          const { objective, slopes } = slowObjective(slow, fit);
          const all = [slopes.intercept, ...slopes.weights];
          if (offsets === 'users' || offsets === 'both') all.push(...slopes.users);
          if (offsets === 'items' || offsets === 'both') all.push(...slopes.items);
          // The ridge on offsets moves ΣP of one by 1e-6 times the offset.
          expect(Math.max(...all.map(Math.abs))).toBeLessThan(1e-5);
          expect(Math.abs(fit.penalised - objective)).toBeLessThan(1e-4);
        },
      ),
    );
  });

  it('is recovered from sampled negatives by the correction ln q', () => {
    const slow = world(7, 60, 80);
    const features = { users: sparseRows(slow.x), items: sparseRows(slow.z) };
    const observed = slow.observed.map(itemsOf);
    const design = pairDesign(observed, 80, 0.5, 3);
    const fit = fitLogistic(design, features, { l2: 0.5, offsets: 'none' });
    const sampled = slow.observed.map((row) => row.map((): 0 | 1 | undefined => undefined));
    for (let user = 0; user < 60; user++) {
      for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
        sampled[user][design.item[pair]] = design.isObserved[pair] === 1 ? 1 : 0;
      }
    }
    const { slopes } = slowObjective({ ...slow, observed: sampled, rate: 0.5 }, fit);
    const all = [slopes.intercept, ...slopes.weights];
    expect(Math.max(...all.map(Math.abs))).toBeLessThan(1e-8);
    const whole = fitLogistic(pairDesign(observed, 80), features, { l2: 0.5, offsets: 'none' });
    // Of 4,800 pairs: without ln q the intercept would be off by .69.
    expect(Math.abs(fit.intercept - whole.intercept)).toBeLessThan(0.1);
  });

  it('gives the observed shares by item if users rated equally many items', () => {
    // Each user rated two of four items: n = 3, 2, 2, 1 of four users.
    const observed = [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
    ];
    const none = { users: noColumns(4), items: noColumns(4) };
    const { intercept, userOffsets, itemOffsets } = fitLogistic(pairDesign(observed, 4), none, {
      l2: 0,
      offsets: 'both',
    });
    itemOffsets.forEach((offset, item) => {
      const p = 1 / (1 + Math.exp(-(intercept + offset + userOffsets[0])));
      expect(p).toBeCloseTo([3, 2, 2, 1][item] / 4, 5);
    });
  });
});

describe('a logistic regression without a result', () => {
  const none = { l2: 0, offsets: 'none' } as const;

  it('is refused if nothing or everything is observed', () => {
    const features = { users: onesColumn(2), items: onesColumn(2) };
    expect(() => fitLogistic(pairDesign([[], []], 2), features, none)).toThrow(
      'no pair is observed: there is nothing to learn propensities from',
    );
    const all = pairDesign(
      [
        [0, 1],
        [1, 0],
      ],
      2,
    );
    expect(() => fitLogistic(all, features, none)).toThrow('every pair is observed');
  });

  it('is refused for features of another number of users, or over 4,000 parameters', () => {
    expect(() => fitLogistic(TOY, { users: onesColumn(14), items: onesColumn(1) }, none)).toThrow(
      'features need one row for each of the 15 users, not 14 rows',
    );
    const wide = Float64Array.from({ length: 4000 }, () => 1);
    const features = { users: sparseRows(HAS), items: sparseRows([wide]) };
    expect(() => fitLogistic(TOY, features, none)).toThrow('4001 parameters, more than 4000');
  });
});
