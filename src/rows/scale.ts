/** A linear axis that ends at ticks with round numbers. */
export interface LinearScale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  /** Number of decimal places that tick labels need. */
  readonly digits: number;
}

/**
 * Create an axis that contains all values and ends at ticks. It starts at 0 if the smallest value
 * is positive and less than a third of the largest, so that lengths can be compared.
 */
export function linearScale(values: readonly number[], wantedTicks = 4): LinearScale {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) {
    return {
      from: 0,
      to: 1,
      ticks: [0, 0.5, 1],
      digits: 1,
    };
  }
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (low > 0 && low < high / 3) {
    low = 0;
  }
  if (low === high) {
    low -= 0.05;
    high += 0.05;
  }
  const step = roundStep((high - low) / wantedTicks);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return {
    from: ticks[0],
    to: ticks[ticks.length - 1],
    ticks,
    digits,
  };
}

/** Round a step up to 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * (RATIOS.find((ratio) => ratio * power >= step * (1 - 1e-9)) ?? 10);
}

const RATIOS = [1, 2, 5, 10];

/** Position of a value on the axis, in percent of its length. */
export function placeOn({ from, to }: LinearScale, value: number): number {
  return Math.round((10_000 * (value - from)) / (to - from)) / 100;
}

/**
 * Compute ticks for a logarithmic axis that contains all values: powers of ten, or powers of two if
 * the values span less than two decades.
 */
export function logTicks(values: readonly number[]): {
  from: number;
  to: number;
  ticks: number[];
} {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const base = high / low >= 100 ? 10 : 2;
  const logOf = (value: number) => Math.log(value) / Math.log(base);
  const first = Math.floor(logOf(low) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(logOf(high) - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => base ** (first + i));
  return {
    from: ticks[0],
    to: ticks[ticks.length - 1],
    ticks,
  };
}
