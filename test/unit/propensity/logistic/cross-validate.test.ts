import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { crossValidate } from '../../../../src/estimators/propensity/cross-validate.js';
import { noColumns, onesColumn, sparseRows } from '../../../../src/estimators/propensity/logits.js';
import { pairDesign } from '../../../../src/estimators/propensity/pair-design.js';

const ITEMS = Array.from({ length: 30 }, (_, item) => item);

describe('cross-validation of the ridge', () => {
  it('gives the mean log score of pairs under fits without their folds', () => {
    const observed = [[0], [1, 2], [], [0, 1], [2]];
    const design = pairDesign(observed, 3);
    const none = { users: noColumns(5), items: noColumns(3) };
    const [{ logLikelihood }] = crossValidate(design, none, [1], {
      offsets: 'none',
      folds: 3,
      seed: 4,
    });
    // With c alone, P of a fold is the share observed in the other folds.
    const random = new Random(4, 'folds');
    const fold = Array.from(design.item, () => random.below(3));
    let sum = 0;
    fold.forEach((own, pair) => {
      const others = [...design.isObserved].filter((_, other) => fold[other] !== own);
      const p = others.reduce((a, b) => a + b, 0) / others.length;
      sum += Math.log(design.isObserved[pair] === 1 ? p : 1 - p);
    });
    expect(logLikelihood).toBeCloseTo(sum / 15, 9);
  });

  it('prefers a strong ridge if features are noise, and a weak one otherwise', () => {
    const random = new Random(11, 'validated');
    const group = Array.from({ length: 40 }, (_, user) => [user % 2]);
    const noise = Array.from({ length: 40 }, () =>
      Array.from({ length: 8 }, () => random.normal()),
    );
    const score = (rows: number[][], chanceOf: (user: number) => number) => {
      const rated = rows.map((_, user) => ITEMS.filter(() => random.next() < chanceOf(user)));
      const features = { users: sparseRows(rows), items: onesColumn(ITEMS.length) };
      const options = { offsets: 'none', folds: 4, seed: 1 } as const;
      const design = pairDesign(rated, ITEMS.length);
      return crossValidate(design, features, [0.1, 1e5], options).map((one) => one.logLikelihood);
    };
    const [weak, strong] = score(group, (user) => (user % 2 === 1 ? 0.6 : 0.1));
    expect(weak).toBeGreaterThan(strong + 0.05);
    const [loose, tight] = score(noise, () => 0.3);
    expect(tight).toBeGreaterThan(loose);
  });
});
