import { describe, expect, it } from 'vitest';
import { gaussLegendre } from '../../../src/estimators/interventions/intervened.js';

describe('gaussLegendre', () => {
  it('integrates every power below twice its size up to rounding', () => {
    for (const size of [1, 2, 3, 5, 8, 16, 32]) {
      const { nodes, weights } = gaussLegendre(size);
      for (let power = 0; power < 2 * size; power++) {
        let integral = 0;
        nodes.forEach((node, q) => {
          integral += weights[q] * node ** power;
        });
        expect(Math.abs(integral * (power + 1) - 1), `${size} ${power}`).toBeLessThan(1e-13);
      }
    }
  });
});
