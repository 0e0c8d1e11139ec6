import { describe, expect, it } from 'vitest';
import { levelIndex } from '../../../../src/estimators/interventions/level-index.js';

describe('weightCells', () => {
  it('numbers counts in ascending order, whether small, large or not whole', () => {
    const { counts, indexOf } = levelIndex(Float64Array.of(9000, 2, 0, 2.5, 2));
    expect([...counts]).toEqual([0, 2, 2.5, 9000]);
    expect([0, 2, 2.5, 9000].map(indexOf)).toEqual([0, 1, 2, 3]);
  });
});
