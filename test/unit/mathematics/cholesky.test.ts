import fc from 'fast-check';
import { expect, it } from 'vitest';
import { choleskyInverse } from '../../../src/estimators/mathematics/cholesky.js';

it('a matrix times its inverse is the identity', () => {
  const entry = fc.double({ min: -2, max: 2, noNaN: true });
  fc.assert(
    fc.property(fc.array(entry, { minLength: 16, maxLength: 16 }), (root) => {
      // B Bᵀ + I is positive definite.
      const values = Float64Array.from({ length: 16 }, (_, at) => {
        const [r, c] = [Math.floor(at / 4), at % 4];
        const product = [0, 1, 2, 3].reduce((sum, k) => sum + root[r * 4 + k] * root[c * 4 + k], 0);
        return product + (r === c ? 1 : 0);
      });
      const inverse = choleskyInverse({ size: 4, values })!.values;
      for (let at = 0; at < 16; at++) {
        const [r, c] = [Math.floor(at / 4), at % 4];
        const product = [0, 1, 2, 3].reduce(
          (sum, k) => sum + values[r * 4 + k] * inverse[k * 4 + c],
          0,
        );
        expect(product).toBeCloseTo(r === c ? 1 : 0, 9);
      }
    }),
  );
});

it('a matrix that is not positive definite has none', () => {
  expect(choleskyInverse({ size: 2, values: Float64Array.of(1, 1, 1, 1) })).toBeUndefined();
  expect(choleskyInverse({ size: 1, values: Float64Array.of(-1) })).toBeUndefined();
});
