/**
 * Divides counts into groups of like size by their order.
 *
 * group(n) = ⌊G · r / N⌋, r how many of the N counts are less than n: equal counts are never parted.
 *
 * @param counts what the groups are made from; not changed. @param groups G ≥ 1.
 * @returns the group of a count, in [0, G); 0 for all if there are no counts.
 * @example
 * quantileGroups(Float64Array.of(1, 1, 2, 9), 2)(9); // 1
 */
export function quantileGroups(counts: Float64Array, groups: number): (count: number) => number {
  const histogram = new Map<number, number>();
  for (const count of counts) histogram.set(count, (histogram.get(count) ?? 0) + 1);
  return groupsOf(
    [...histogram].sort(([a], [b]) => a - b),
    groups,
  );
}

/** The same of counts that are each given once, ascending, with how often they come. */
export function groupsOf(
  histogram: readonly (readonly [count: number, times: number])[],
  groups: number,
): (count: number) => number {
  const all = histogram.reduce((sum, [, times]) => sum + times, 0);
  const known = new Map<number, number>();
  let less = 0;
  for (const [count, times] of histogram) {
    known.set(count, Math.floor((groups * less) / all));
    less += times;
  }
  return (count) => known.get(count) ?? 0;
}
