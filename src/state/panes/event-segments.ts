import type { SegmentCodes } from '../../events/segment-codes.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { adoptedSegments, readSegments, type SegmentNames, writeSegments } from './row-segments.js';

/** What the first `length` events say of themselves as it is now, to be written later. */
export function captureSegments(
  { dimensions, codes }: SegmentCodes,
  length: number,
  here: SegmentNames,
): (to: BinaryWriter) => void {
  const columns = here.dimensions.map((_, d) => {
    const own = new Uint16Array(length);
    for (let r = 0; r < length; r++) own[r] = codes[r * dimensions + d] ?? 0;
    return own;
  });
  const names = here.dimensions.map(({ name }) => name);
  return (to) =>
    writeSegments(to, { dimensions: names, names: here.names, codes: columns }, length);
}

/** Reads what was captured, by the dimensions of here; nothing where there are none. */
export function readEventSegments(
  from: BinaryReader,
  into: SegmentCodes,
  rows: number,
  here: SegmentNames | undefined,
): void {
  const read = readSegments(from);
  if (here === undefined) return;
  const { codes } = adoptedSegments(read, here, rows);
  const dimensions = codes.length;
  into.dimensions = dimensions;
  into.codes = new Uint16Array(Math.max(64, rows) * dimensions);
  for (let r = 0; r < rows; r++) {
    for (let d = 0; d < dimensions; d++) into.codes[r * dimensions + d] = codes[d][r];
  }
}
