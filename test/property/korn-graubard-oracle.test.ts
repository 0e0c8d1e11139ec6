import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { studentTQuantile } from '../../src/estimators/mathematics/distributions.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { type EvaluatedRow, evaluatedRows, sum, summary, weightOf } from '../oracle/evaluated.js';
import { kornGraubardOfRows, type WeighedRow } from '../oracle/korn-graubard.js';
import { stratumOf } from '../oracle/strata.js';
import { DEFAULTS, estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const OPTIONS: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['recall', 'dcg'],
  ks: [3],
  estimators: ['naive', 'snips', 'gs'],
  gamma: 1.3,
  interval: 'korn-graubard',
};

type Users = readonly (readonly EvaluatedRow[])[];

/** What each row of every user weighs in R = Σ c λ / Σ c. */
function coefficients(name: string, form: string, window: PlainWindow, users: Users) {
  const stratum = (row: EvaluatedRow) => stratumOf(window, row.item, OPTIONS);
  const weight = (row: EvaluatedRow) =>
    name === 'naive' ? 1 : weightOf(window, row.item, OPTIONS);
  const mean = (row: EvaluatedRow, rows: readonly EvaluatedRow[]) => {
    if (name !== 'gs') return weight(row);
    const own = rows.filter((other) => stratum(other) === stratum(row));
    return sum(own.map(weight)) / own.length;
  };
  return users.map((rows) => {
    const own = rows.map((row) => mean(row, form === 'user' ? rows : users.flat()));
    const scale = form === 'user' ? sum(own) : 1;
    return rows.map((row, at): WeighedRow => ({ weight: own[at] / scale, gain: row.gain }));
  });
}

function expected(users: WeighedRow[][], lists: number): [number, number] | null {
  const { stdErr, ess, value } = summary(
    users.map((rows) => ({
      numerator: sum(rows.map(({ weight, gain }) => weight * gain)),
      denominator: sum(rows.map(({ weight }) => weight)),
    })),
  );
  if (value > 1 - 1e-9 && lists <= 3) return [1, 1];
  const t = studentTQuantile(0.975, Math.max(ess - 1, 0.5));
  return kornGraubardOfRows(users, { stdErr, t });
}

describe('the capped Korn–Graubard interval', () => {
  it('equals its definition over single rows for every form', () => {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow(), fc.constantFrom(1, 6), (few, copies) => {
        // Rows count by themselves from ten effective hits on: of nine users there are never as many.
        const window = { ...few, users: Array.from({ length: copies }, () => few.users).flat() };
        for (const row of estimate(window, OPTIONS).results) {
          const { model, metric, k, estimator, form: aggregation, lower, upper } = row;
          const m = window.models.indexOf(model);
          const rows = evaluatedRows(window, m, metric, k, OPTIONS);
          const users = coefficients(estimator, aggregation, window, rows);
          // Lists of the windows have 12 items.
          const wanted = expected(users, 12)!;
          const key = `${model} ${metric} ${k} ${estimator} ${aggregation}`;
          expect(Math.abs(lower - wanted[0]), `${key} ${lower} ${wanted[0]}`).toBeLessThan(1e-5);
          expect(Math.abs(upper - wanted[1]), `${key} ${upper} ${wanted[1]}`).toBeLessThan(1e-5);
          seen++;
        }
      }),
      { numRuns: repetitions(6, 120) },
    );
    expect(seen).toBeGreaterThan(20);
  });
});
