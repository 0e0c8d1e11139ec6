const SLICE = 65_536;

/** Sets the flags of the first `length` ids of a column. Yields between slices. */
export function* markIds(
  flags: Uint8Array,
  ids: Int32Array,
  length = ids.length,
): Generator<void, void> {
  for (let from = 0; from < length; from += SLICE) {
    const to = Math.min(from + SLICE, length);
    for (let n = from; n < to; n++) flags[ids[n]] = 1;
    yield;
  }
}

/** Sets the flags of the ids that have a count. Yields between slices. */
export function* markCounted(
  flags: Uint8Array,
  { counts, size }: { readonly counts: Int32Array; readonly size: number },
): Generator<void, void> {
  for (let from = 0; from < size; from += SLICE) {
    const to = Math.min(from + SLICE, size);
    for (let id = from; id < to; id++) if (counts[id] > 0) flags[id] = 1;
    yield;
  }
}
