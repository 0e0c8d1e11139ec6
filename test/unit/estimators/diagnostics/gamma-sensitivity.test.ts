import { describe, expect, it } from 'vitest';
import {
  gammaSensitivity,
  type LevelGains,
} from '../../../../src/estimators/diagnostics/gamma-sensitivity.js';
import { seeded } from '../../../oracle/random.js';

/** A model's rows: the count of the row's item and its gain. */
type Rows = readonly { readonly n: number; readonly gain: number }[];

/** Σ w λ / Σ w row by row. */
function snips(rows: Rows, gamma: number): number {
  const weight = (n: number) => 1 / Math.sqrt(n) ** (gamma + 1);
  const sum = (of: (row: Rows[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
  return sum(({ n, gain }) => weight(n) * gain) / sum(({ n }) => weight(n));
}

function byLevel(models: Readonly<Record<string, Rows>>) {
  const levels = [...new Set(Object.values(models).flatMap((rows) => rows.map(({ n }) => n)))];
  const of = (rows: Rows, value: (row: Rows[number]) => number) =>
    Float64Array.from(levels, (n) =>
      rows.reduce((sum, row) => sum + (row.n === n ? value(row) : 0), 0),
    );
  const gains = Object.entries(models).map(
    ([model, rows]): LevelGains => ({
      model,
      rows: of(rows, () => 1),
      gains: of(rows, ({ gain }) => gain),
    }),
  );
  return gammaSensitivity(levels, gains);
}

function drawn(random: () => number, size: number, slope: number): Rows {
  return Array.from({ length: size }, () => {
    const n = 1 + Math.floor(200 * random() ** 3);
    return { n, gain: random() < 0.2 + slope * Math.log(n) ? 1 : 0 };
  });
}

describe('the sensitivity to γ', () => {
  it('gives a band that holds the values at every γ, with naive at −1', () => {
    const random = seeded(2);
    const models = { a: drawn(random, 300, 0.1), b: drawn(random, 200, -0.03) };
    const { bands } = byLevel(models);
    for (const { model, lower, upper, naive, equal } of bands) {
      const rows = models[model as 'a' | 'b'];
      const hits = rows.reduce((sum, { gain }) => sum + gain, 0);
      expect(naive).toBeCloseTo(hits / rows.length, 12);
      expect(equal).toBeCloseTo(snips(rows, 1), 12);
      for (let gamma = -1; gamma <= 1; gamma += 0.05) {
        const value = snips(rows, gamma);
        expect(value).toBeGreaterThanOrEqual(lower - 1e-12);
        expect(value).toBeLessThanOrEqual(upper + 1e-12);
      }
    }
    expect(bands[0].upper - bands[0].lower).toBeGreaterThan(0.1);
  });

  it('finds the same swaps of models as a fine scan of the rows', () => {
    const random = seeded(7);
    let all = 0;
    for (let run = 0; run < 15; run++) {
      const models = { a: drawn(random, 150, 0.08), b: drawn(random, 150, 0.06) };
      const { flips } = byLevel(models);
      const found: { gamma: number; above: string }[] = [];
      const ahead = (gamma: number) =>
        snips(models.a, gamma) > snips(models.b, gamma) ? 'a' : 'b';
      for (let step = 0; step < 400; step++) {
        const from = -1 + step / 200;
        const to = -1 + (step + 1) / 200;
        if (ahead(from) !== ahead(to)) found.push({ gamma: (from + to) / 2, above: ahead(to) });
      }
      expect(flips.map(({ above }) => above)).toEqual(found.map(({ above }) => above));
      flips.forEach(({ gamma }, n) => {
        expect(Math.abs(gamma - found[n].gamma)).toBeLessThan(0.003);
      });
      all += flips.length;
    }
    expect(all).toBeGreaterThan(1);
  });

  it('names the model that is ahead on either side of a swap', () => {
    // 45 w = 9 at w = 100^−β = 1/5.
    const { flips } = gammaSensitivity(
      [1, 100],
      [
        { model: 'head', rows: Float64Array.of(10, 90), gains: Float64Array.of(0, 45) },
        { model: 'tail', rows: Float64Array.of(10, 90), gains: Float64Array.of(9, 0) },
      ],
    );
    const gamma = (2 * Math.log(5)) / Math.log(100) - 1;
    expect(flips).toEqual([
      { below: 'head', above: 'tail', isOfLeaders: true, gamma: expect.closeTo(gamma, 8) },
    ]);
  });
});
