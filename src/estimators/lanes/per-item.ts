/** Fill a column with a function of each item's count. */
export function perItem<Column extends Float64Array | Int32Array | Uint16Array>(
  counts: Float64Array,
  of: (count: number) => number,
  column: Column,
): Column {
  for (let item = 0; item < column.length; item++) {
    column[item] = of(counts[item]);
  }
  return column;
}
