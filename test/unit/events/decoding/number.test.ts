import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberScanner } from '../../../../src/events/number.js';

function scan(text: string): { length: number; value: number; isExact: boolean } {
  const scanner = new NumberScanner();
  const bytes = new TextEncoder().encode(`7${text}7`);
  const length = scanner.scan(bytes, 1, bytes.length - 1) - 1;
  return { length, value: scanner.value, isExact: scanner.isExact };
}

describe('a NumberScanner', () => {
  it('is within rounding of JSON.parse on the shortest spelling of any double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const found = scan(JSON.stringify(number));
        if (found.length < 0) return;
        expect(Math.abs(found.value - number)).toBeLessThanOrEqual(Math.abs(number) * 1e-14);
        if (found.isExact) expect(found.value).toBe(number + 0);
      }),
    );
  });
});
