/**
 * Shares the partitions 0 … count − 1 among the members of a group: each to exactly one, the
 * numbers of two members differing by at most one, the same for the same input whatever its order.
 * Topics read together use the same share, so partition p of all of them goes to one member.
 */
export function balancePartitions(
  members: readonly string[],
  count: number,
): ReadonlyMap<string, readonly number[]> {
  const sorted = [...new Set(members)].sort();
  const shares = new Map<string, number[]>(sorted.map((member) => [member, []]));
  for (let partition = 0; partition < count && sorted.length > 0; partition++) {
    shares.get(sorted[partition % sorted.length])?.push(partition);
  }
  return shares;
}
