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
  const sorted = counts.slice().sort();
  const known = new Map<number, number>();
  for (let r = 0; r < sorted.length; r++) {
    if (!known.has(sorted[r])) known.set(sorted[r], Math.floor((groups * r) / sorted.length));
  }
  return (count) => known.get(count) ?? 0;
}
