/** Added to each bin's count, so that an empty one has a logarithm. */
const PSEUDO_COUNT = 0.5;

/** Shares of the bins, each count with ½ added. */
export function smoothedShares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count + PSEUDO_COUNT, 0);
  return counts.map((count) => (count + PSEUDO_COUNT) / total);
}
