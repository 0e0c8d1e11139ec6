import { describe, expect, it } from 'vitest';
import { openingOf } from '../../../src/outputs/opening/opening-of.js';
import { hausmanFindings } from '../../../src/rows/findings/hausman.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

/** Recall@10 of two models by `snips` and `ure`, each with its error. */
function snapshotOf(
  values: Readonly<Record<string, Readonly<Record<'snips' | 'ure', number>>>>,
  stdErr: number,
): Snapshot {
  const base = makeSnapshot({ windows: ['1h'], models: Object.keys(values) });
  const [like] = base.windows[0]!.results;
  const results = Object.entries(values).flatMap(([model, of]) =>
    (['snips', 'ure'] as const).map((estimator) => {
      const value = of[estimator];
      const named = { model, estimator, metric: 'recall' as const, k: 10, form: 'pooled' as const };
      return { ...like!, ...named, value, stdErr, lower: value - 0.1, upper: value + 0.1 };
    }),
  );
  return { ...base, windows: [{ ...base.windows[0]!, results }] };
}

describe('snips against randomised traffic (Hausman test)', () => {
  // z = .06 / (√2 · .02) = 2.12 and 0: of one model 1.96 is the bar, of two 2.24.
  const apart = { snips: 0.26, ure: 0.2 };
  const alike = { snips: 0.3, ure: 0.3 };

  it('is rejected beyond 1.96 standard errors with one model, 2.24 with two', () => {
    const [found] = hausmanFindings(snapshotOf({ a: apart }, 0.02).windows[0]!);
    expect(found).toMatchObject({ code: 'not_popularity', severity: 'caution' });
    expect((found!.figures as { deviation: number }).deviation).toBeCloseTo(2.1213, 4);
    expect(hausmanFindings(snapshotOf({ a: apart, b: alike }, 0.02).windows[0]!)).toEqual([]);
    expect(hausmanFindings(snapshotOf({ a: apart, b: alike }, 0.018).windows[0]!)).toHaveLength(1);
  });

  it('is not judged without ure estimates', () => {
    const base = snapshotOf({ a: apart }, 0.02).windows[0]!;
    const results = base.results.filter(({ estimator }) => estimator !== 'ure');
    expect(hausmanFindings({ ...base, results })).toEqual([]);
  });

  it('is shown beside ure, which ranks models, with a caution that it is rejected', () => {
    const snapshot = snapshotOf({ a: { snips: 0.4, ure: 0.2 }, b: alike }, 0.02);
    const opening = openingOf(snapshot, snapshot.windows[0]!, new Outcomes());
    expect(opening.columns.map(plainText)).toEqual(['recall@10, randomised (95 % CI)', 'snips']);
    expect(opening.rows.map(({ model, cells }) => [model, ...cells])).toEqual([
      ['b', '0.300 (0.200 to 0.400)', '0.300'],
      ['a', '0.200 (0.100 to 0.300)', '0.400'],
    ]);
    const lines = opening.cautions.map(({ words }) => plainText(words));
    expect(lines).toContain(
      'The popularity correction does not fit this log: randomised traffic (ure) contradicts snips by 7.1 standard errors.',
    );
  });
});

describe('snips without randomised traffic', () => {
  it('has a range over γ if γ is assumed, and an interval if it is fitted', () => {
    const snapshot = snapshotOf({ a: { snips: 0.26, ure: 0.2 } }, 0.02);
    const window = snapshot.windows[0]!;
    const band = { model: 'a', lower: 0.18, upper: 0.31, naive: 0.18, equal: 0.31 };
    const sensitivity = [{ metric: 'recall' as const, k: 10, bands: [band], flips: [], tails: [] }];
    const results = window.results.filter(({ estimator }) => estimator !== 'ure');
    const opening = (source: 'assumed' | 'fit') => {
      const propensity = { ...snapshot.propensity, source };
      const own = { ...window, results, sensitivity };
      return openingOf({ ...snapshot, propensity }, own, new Outcomes());
    };
    expect(opening('assumed').columns.map(plainText)[0]).toBe(
      'recall@10, corrected (range over γ)',
    );
    expect(opening('assumed').rows[0]!.cells[0]).toBe('0.260 (0.180 to 0.310)');
    // γ is fitted, so the interval allows for its error.
    expect(opening('fit').columns.map(plainText)[0]).toBe('recall@10, corrected (95 % CI)');
    expect(opening('fit').rows[0]!.cells[0]).toBe('0.260 (0.160 to 0.360)');
  });
});
