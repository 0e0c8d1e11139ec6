import type { ParsedSeries } from '../unit/prometheus/exposition.js';

/** The upper bound of the bucket in which a quantile of a histogram lies; 0 without observations. */
export function quantile(series: readonly ParsedSeries[], name: string, share: number): number {
  const buckets = series
    .filter((one) => one.name === `${name}_bucket`)
    .map(({ labels, value }) => ({
      bound: Number(labels['le']?.replace('+Inf', 'Infinity')),
      value,
    }))
    .sort((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.value ?? 0;
  return total === 0 ? 0 : buckets.find(({ value }) => value >= share * total)!.bound;
}
