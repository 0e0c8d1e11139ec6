const COARSE = 2 ** 32;
const FINE = 2 ** 31;

/**
 * The sum of numbers from 0 to 1, the same to the bit in whatever order they come: what stands by
 * item has another order in every process. Each number is rounded to a multiple of 2⁻⁶³, and whole
 * numbers add up exactly, for up to 2²⁰ numbers of 1.
 *
 * @example
 * const sum = new UnorderedSum();
 * for (const value of [0.1, 0.2, 0.3]) sum.add(value);
 * sum.value; // 0.6
 */
export class UnorderedSum {
  #high = 0;
  #low = 0;

  add(value: number): void {
    const scaled = value * COARSE;
    const high = Math.floor(scaled);
    this.#high += high;
    this.#low += Math.round((scaled - high) * FINE);
  }

  get value(): number {
    return (this.#high + this.#low / FINE) / COARSE;
  }
}
