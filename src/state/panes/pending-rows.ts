/** Room beyond what is expected: what comes is not quite like what has come. */
const MARGIN = 1 / 8;
/** However much is expected, it may turn out to be wrong. */
const LARGEST_STEP = 8;

/** Rows of the users who are kept; the others are handed to `letGo`. */
export function rowsOfUsers(
  user: Int32Array,
  length: number,
  isKept: (user: number) => boolean,
  letGo: (r: number) => void,
): Int32Array {
  const kept = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) {
    if (isKept(user[r])) kept[size++] = r;
    else letGo(r);
  }
  return kept.subarray(0, size);
}

/** The rows below `length` that are not among `rows`, which ascend. */
export function rowsBut(rows: readonly number[], length: number): Int32Array {
  const kept = new Int32Array(length - rows.length);
  let size = 0;
  let next = 0;
  for (let r = 0; r < length; r++) {
    if (r === rows[next]) next++;
    else kept[size++] = r;
  }
  return kept;
}

/**
 * A capacity that holds `needed`, and of what has yet to come as much as can be expected: pages
 * that nothing is written to cost nothing.
 */
export function enoughRoom(capacity: number, needed: number, share: number): number {
  if (needed <= capacity) return capacity;
  if (share >= 1) return Math.max(2 * capacity, needed);
  const expected = Math.ceil((needed * (1 + MARGIN)) / share);
  return Math.max(needed, Math.min(LARGEST_STEP * capacity, expected));
}
