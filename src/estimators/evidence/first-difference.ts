/**
 * The first place at which the lists of two models differ; Infinity where they are equal as far as they
 * are seen. A shorter list differs at its end.
 *
 * @param own, other rank of each item of the request in the two lists. @param from, to its items.
 * @param places no item at this rank or below is seen.
 * @example
 * firstDifference([0, 1], [0, 2], 0, 2, 3); // 1
 */
export function firstDifference(
  own: ArrayLike<number>,
  other: ArrayLike<number>,
  from: number,
  to: number,
  places: number,
): number {
  let first = Number.POSITIVE_INFINITY;
  for (let row = from; row < to; row++) {
    if (own[row] === other[row]) continue;
    const place = Math.min(own[row], other[row]);
    if (place < places && place < first) {
      first = place;
    }
  }
  return first;
}
