/**
 * Assign the partitions 0 … count − 1 to the members of a group. Each partition goes to exactly one
 * member, and members differ by at most one partition. The order of `members` does not matter.
 * Topics read together share the assignment, so one member reads partition p of all of them.
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
