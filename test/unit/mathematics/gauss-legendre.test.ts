import { describe, expect, it } from 'vitest';
import { gaussLegendre } from '../../../src/estimators/mathematics/gauss-legendre.js';

describe('gaussLegendre', () => {
  it('integrates every power below twice its size to rounding', () => {
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

  it('misses the power at twice its size', () => {
    const { nodes, weights } = gaussLegendre(2);
    const integral = nodes.reduce((sum, node, q) => sum + weights[q] * node ** 4, 0);
    expect(Math.abs(integral - 1 / 5)).toBeGreaterThan(1e-3);
  });

  it('has ascending nodes inside the interval', () => {
    const { nodes } = gaussLegendre(7);
    expect([...nodes]).toEqual([...nodes].sort((a, b) => a - b));
    expect(nodes[0]).toBeGreaterThan(0);
    expect(nodes[6]).toBeLessThan(1);
  });
});
