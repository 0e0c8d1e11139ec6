type Column = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

/** Of a column the values of some rows, by their numbers. */
export function taken<Of extends Column>(from: Of, rows: Int32Array): Of {
  const into = new (from.constructor as new (length: number) => Of)(rows.length);
  for (let at = 0; at < rows.length; at++) into[at] = from[rows[at]];
  return into;
}
