import { describe, expect, it } from 'vitest';
import { exposureLevels } from '../../../src/estimators/propensity/exposure-levels.js';

const levels = (counts: number[], exposures: number[]) => {
  const all = exposureLevels(
    Float64Array.from(counts),
    Float64Array.from(exposures),
    counts.length,
  );
  return Object.values(all).map((column: Float64Array) => [...column]);
};

describe('exposureLevels', () => {
  it('bins decayed counts by an eighth of an octave, at their geometric mean', () => {
    const [count, items, exposures] = levels([2.01, 2.05, 2.5, 0.3], [1, 2, 4, 8]);
    expect(items).toEqual([1, 2, 1]);
    expect(exposures).toEqual([8, 3, 4]);
    expect(count[1]).toBeCloseTo(Math.sqrt(2.01 * 2.05), 12);
    expect(count[0]).toBe(0.3);
  });
});
