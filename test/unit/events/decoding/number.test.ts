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
  it('gives the very number that JSON.parse gives wherever it says so', () => {
    const mantissa = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });
    fc.assert(
      fc.property(mantissa, fc.nat(14), (mantissa, decimals) => {
        const digits = String(Math.abs(mantissa)).padStart(decimals + 1, '0');
        const whole = digits.slice(0, digits.length - decimals);
        const fraction = digits.slice(digits.length - decimals);
        const text = `${mantissa < 0 ? '-' : ''}${whole}${decimals > 0 ? `.${fraction}` : ''}`;
        const found = scan(text);
        expect(found).toEqual({ length: text.length, value: JSON.parse(text) + 0, isExact: true });
      }),
      { numRuns: 3000 },
    );
  });

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

  it('ends where the number ends', () => {
    expect(scan('12,34').length).toBe(2);
    expect(scan('0}').length).toBe(1);
    expect(scan('1.5e3 ').length).toBe(5);
  });

  it.each([
    '',
    '-',
    '+1',
    '.5',
    '1.',
    '01',
    '-01',
    '00',
    '1e',
    '1e+',
    'NaN',
    '1.e5',
    '-.5',
    '1e999',
  ])('finds no number in %j', (text) => {
    expect(scan(text).length).toBeLessThan(0);
  });

  it('gives minus zero as zero', () => {
    expect(Object.is(scan('-0').value, 0)).toBe(true);
  });
});
