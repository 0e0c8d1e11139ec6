/** Rows by group: those of group g are order[start[g]] … order[start[g + 1] − 1], in their order. */
export interface Grouped {
  readonly start: Int32Array;
  readonly order: Int32Array;
}

/**
 * Row numbers sorted by group, in one pass over counts. O(rows + groups).
 *
 * @param group the group of each row, from 0 to groups − 1.
 * @example
 * groupedBy(Int32Array.of(1, 0, 1), 2).order; // [1, 0, 2]
 */
export function groupedBy(group: Int32Array, groups: number): Grouped {
  const start = new Int32Array(groups + 1);
  for (let row = 0; row < group.length; row++) start[group[row] + 1]++;
  for (let g = 0; g < groups; g++) start[g + 1] += start[g];
  const next = start.slice(0, groups);
  const order = new Int32Array(group.length);
  for (let row = 0; row < group.length; row++) order[next[group[row]]++] = row;
  return { start, order };
}
