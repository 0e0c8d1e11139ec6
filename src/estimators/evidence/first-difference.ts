/**
 * First 0-based rank at which the lists of two models differ; Infinity if they are equal down to
 * the last examined position. A shorter list differs at its end.
 *
 * @param own, other rank of each item of the request in the two lists. @param from, to range of its
 * items.
 * @param places number of positions that users examine.
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
