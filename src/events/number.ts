const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;
const PLUS = 0x2b;

/** Integers of this many digits are exact, and so are the powers of ten up to 10^22. */
const EXACT_DIGITS = 15;
const MOST_DIGITS = 40;
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/**
 * Reads a JSON number from bytes.
 *
 * With at most 15 digits and no exponent, value = ± m / 10^k is one correctly rounded division of
 * two exact numbers, which is what JSON.parse gives; otherwise the value is near it and `isExact`
 * is false.
 *
 * Source: W. D. Clinger, How to read floating point numbers accurately (1990), the fast case.
 */
export class NumberScanner {
  value = 0;
  isExact = true;

  /**
   * @returns the position after the number; −1 if there is none by RFC 8259, or one of more than
   *   40 digits or of an exponent of more than two
   * @example
   * const scanner = new NumberScanner();
   * scanner.scan(new TextEncoder().encode('-2.5,'), 0, 5) === 4 && scanner.value === -2.5
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    const isNegative = at < end && bytes[at] === MINUS;
    if (isNegative) at++;
    const first = at;
    at = this.scanDigits(bytes, first, end);
    let mantissa = this.value;
    let digits = at - first;
    if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return -1;
    let decimals = 0;
    if (at < end && bytes[at] === POINT) {
      const point = at++;
      for (; at < end && isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - ZERO);
      decimals = at - point - 1;
      if (decimals === 0) return -1;
      digits += decimals;
    }
    if (digits > MOST_DIGITS) return -1;
    this.isExact = digits <= EXACT_DIGITS;
    if (decimals > 0)
      mantissa = decimals <= 22 ? mantissa / POWERS_OF_TEN[decimals] : mantissa * 10 ** -decimals;
    this.value = isNegative ? 0 - mantissa : mantissa;
    if (at < end && (bytes[at] | 0x20) === 0x65) return this.scanExponent(bytes, at + 1, end);
    return at;
  }

  /** Reads digits into `value`, nine at a time as an int32: a chain of double additions is slow. */
  private scanDigits(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let value = 0;
    for (;;) {
      const first = at;
      const last = Math.min(first + 9, end);
      let part = 0;
      for (; at < last && isDigit(bytes[at]); at++) part = (part * 10 + (bytes[at] - ZERO)) | 0;
      value = first === start ? part : value * POWERS_OF_TEN[at - first] + part;
      if (at < first + 9) break;
    }
    this.value = value;
    return at;
  }

  private scanExponent(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    const isNegative = at < end && bytes[at] === MINUS;
    if (isNegative || (at < end && bytes[at] === PLUS)) at++;
    const first = at;
    let exponent = 0;
    for (; at < end && isDigit(bytes[at]); at++) exponent = exponent * 10 + (bytes[at] - ZERO);
    if (at === first || at - first > 2) return -1;
    this.isExact = false;
    this.value *= 10 ** (isNegative ? -exponent : exponent);
    return at;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}
