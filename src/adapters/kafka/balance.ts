/**
 * Assign the partitions 0 … count − 1 to the members of a group: each to exactly one, with numbers
 * that differ by at most one, independent of the order of members. Topics read together have the
 * same assignment, so partition p of all of them goes to one member.
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
