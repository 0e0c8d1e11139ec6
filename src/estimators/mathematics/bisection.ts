/**
 * Find a root of a function between two points where its signs differ.
 *
 * Halves [low, high] until it is no wider than `tolerance`.
 * Source: bisection. O(log((high − low) / tolerance)) calls.
 *
 * @param f continuous on [low, high]; with a pole in between, the pole may be found instead.
 * @returns NaN if f has the same sign at both ends, or no value there; an end if f is 0.
 * @example
 * bisect((x) => x * x - 2, 0, 2); // 1.41421356...
 */
export function bisect(
  f: (x: number) => number,
  low: number,
  high: number,
  tolerance = 1e-12,
): number {
  let a = low;
  let b = high;
  const atLow = f(a);
  const atHigh = f(b);
  if (atLow === 0) return a;
  if (atHigh === 0) return b;
  if (!(atLow < 0 !== atHigh < 0) || Number.isNaN(atLow + atHigh)) return Number.NaN;
  while (b - a > tolerance) {
    const middle = (a + b) / 2;
    const value = f(middle);
    if (value === 0) return middle;
    if (value < 0 === atLow < 0) {
      a = middle;
    } else {
      b = middle;
    }
  }
  return (a + b) / 2;
}
