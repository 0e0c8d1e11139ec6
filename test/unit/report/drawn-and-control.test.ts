import { describe, expect, it } from 'vitest';
import type { ControlVariate } from '../../../src/estimators/results/control-variate.js';
import { controlSection } from '../../../src/outputs/report/control-section.js';
import { drawnSection } from '../../../src/outputs/report/drawn-section.js';
import type { Markup } from '../../../src/outputs/report/markup.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const window = makeSnapshot().windows[0]!;
const textOf = (markup: Markup | null) =>
  markup!.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('drawn test sets', () => {
  it('have no section where none were drawn', () => {
    expect(drawnSection({ ...window, drawn: [] })).toBeNull();
  });

  it('stand beside the value that was to be expected, for the same number', () => {
    const [row] = window.results.filter(({ estimator }) => estimator === 'wtd_h');
    const { model, metric, k, estimator, form } = row!;
    const drawn = [{ model, metric, k, estimator, form, draws: 20, mean: 0.4321, stdDev: 0.0123 }];
    const others = { ...row!, value: 0.9, form: form === 'user' ? 'pooled' : 'user' };
    const results = [others as typeof row, { ...row!, value: 0.4444 }] as typeof window.results;
    const text = textOf(drawnSection({ ...window, results, drawn }));
    expect(text).toContain('The mean of 20 sets');
    expect(text).toContain('0.4321 ± 0.0123 0.4444 expected');
    expect(text).not.toContain('0.9000');
  });
});

describe('propensities against randomised traffic', () => {
  const cell = (over: Partial<ControlVariate>): ControlVariate => ({
    userGroup: null,
    decile: 0,
    organic: 10,
    randomized: 10,
    weightShare: 0.25,
    randomizedShare: 0.5,
    z: -3.5,
    ...over,
  });

  it('have no section without randomised traffic', () => {
    expect(controlSection({ ...window, controlVariates: [] })).toBeNull();
  });

  it('are marked where they are further apart than chance takes them', () => {
    const controlVariates = [
      cell({}),
      cell({ decile: 9, z: 2.9 }),
      cell({ userGroup: 2, z: Number.NaN }),
    ];
    const markup = controlSection({ ...window, controlVariates });
    expect(markup!.text.match(/class="low">z [^<]*/g)).toEqual(['class="low">z −3.5']);
    const text = textOf(markup);
    expect(text).toMatch(
      /tenth 1 least popular 25\.0 % · 50\.0 % z −3\.5 – – 25\.0 % · 50\.0 % too few/,
    );
    expect(text).toMatch(/tenth 10 most popular 25\.0 % · 50\.0 % z 2\.9/);
  });
});
