/**
 * Find the indices of values without a neighbouring value, which a line would not show. Undefined
 * values are skipped: they do not separate neighbours.
 *
 * @example
 * lonelyPoints([1, 2, null, 3, null, 4, undefined, 5]); // [3]
 */
export function lonelyPoints(column: ArrayLike<number | null | undefined>): number[] {
  const places = Array.from(column, (_, n) => n).filter((n) => column[n] !== undefined);
  const isValue = (at: number | undefined) => at !== undefined && column[at] !== null;
  return places.filter(
    (at, n) => isValue(at) && !isValue(places[n - 1]) && !isValue(places[n + 1]),
  );
}
