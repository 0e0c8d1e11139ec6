import { DamagedCheckpoint } from '../../errors.js';
import { FIRST_VALUE, type SegmentDimension } from '../../events/dimensions.js';
import type { SegmentCodes } from '../../events/segment-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';

/** Configured segment dimensions, with the names of their values by this process's codes. */
export interface SegmentNames {
  readonly dimensions: readonly SegmentDimension[];
  /** By dimension and code: name of the value. */
  readonly names: readonly (readonly string[])[];
  /**
   * Find or add the code of a value from a checkpoint or another process; present only where such
   * state is read.
   */
  codeOf?(dimension: number, value: string): number;
}

/** Segment codes of rows, with the names of dimensions and values. */
export interface RowSegments {
  /** Names of the dimensions. */
  readonly dimensions: readonly string[];
  /** By dimension and code: name of the value. */
  readonly names: readonly (readonly string[])[];
  /** By dimension, a code for each row. */
  readonly codes: readonly Uint16Array[];
}

/** Select the segments of some rows, by their numbers. */
export function takenSegments(from: RowSegments, rows: Int32Array): RowSegments {
  const codes = from.codes.map((own) => {
    const taken = new Uint16Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      taken[at] = own[rows[at]];
    }
    return taken;
  });
  return {
    ...from,
    codes,
  };
}

/**
 * Recode rows by the dimensions and codes of this process. If the rows lack a dimension, its value
 * is missing in all of them; a dimension that is no longer configured is dropped. Rows of this
 * process are returned as they are.
 */
export function adoptedSegments(
  from: RowSegments | undefined,
  here: SegmentNames,
  rows: number,
): RowSegments {
  const dimensions = here.dimensions.map(({ name }) => name);
  const names = here.names;
  if (from !== undefined && names.every((own, d) => from.names[d] === own)) return from;
  const codes = dimensions.map((name, d) => {
    const own = from?.dimensions.indexOf(name) ?? -1;
    if (own < 0) return new Uint16Array(rows);
    return from!.codes[own].map(codesHere(from!.names[own], here, d));
  });
  return {
    dimensions,
    names,
    codes,
  };
}

function codesHere(
  names: readonly string[],
  here: SegmentNames,
  dimension: number,
): (code: number) => number {
  const known: number[] = [];
  return (code) => {
    if (code < FIRST_VALUE) return code;
    known[code] ??= here.codeOf!(dimension, names[code]);
    return known[code];
  };
}

/** Keep the first `length` codes and the names that they use. */
export function compactSegments(rows: RowSegments, length: number): RowSegments {
  const names: string[][] = [];
  const codes: Uint16Array[] = [];
  for (const [d, column] of rows.codes.entries()) {
    const places = new Map<number, number>();
    const local = new Uint16Array(length);
    const own = ['', ''];
    for (let r = 0; r < length; r++) {
      const code = column[r] ?? 0;
      if (code < FIRST_VALUE) {
        local[r] = code;
        continue;
      }
      let place = places.get(code);
      if (place === undefined) {
        place = own.push(rows.names[d][code]) - 1;
        places.set(code, place);
      }
      local[r] = place;
    }
    names.push(own);
    codes.push(local);
  }
  return {
    dimensions: rows.dimensions,
    names,
    codes,
  };
}

/** Write the first `length` codes of each dimension, with their texts. */
export function writeSegments(to: BinaryWriter, rows: RowSegments, length: number): void {
  const { dimensions, names, codes } = compactSegments(rows, length);
  to.number(dimensions.length);
  for (const [d, name] of dimensions.entries()) {
    to.text(name);
    to.text(JSON.stringify(names[d].slice(FIRST_VALUE)));
    to.column(codes[d]);
  }
}

/** Read the output of `writeSegments`. */
export function readSegments(from: BinaryReader): RowSegments {
  const dimensions: string[] = [];
  const names: string[][] = [];
  const codes: Uint16Array[] = [];
  for (let left = from.count(); left > 0; left--) {
    dimensions.push(from.text());
    const texts = JSON.parse(from.text()) as string[];
    names.push(['', '', ...texts]);
    const own = from.uint16();
    if (own.some((code) => code >= texts.length + FIRST_VALUE)) {
      throw new DamagedCheckpoint('a segment in it has no name');
    }
    codes.push(own);
  }
  return {
    dimensions,
    names,
    codes,
  };
}

/** Capture the segments of the first `length` events, to write them later. */
export function captureSegments(
  { dimensions, codes }: SegmentCodes,
  length: number,
  here: SegmentNames,
): (to: BinaryWriter) => void {
  const columns = here.dimensions.map((_, d) => {
    const own = new Uint16Array(length);
    for (let r = 0; r < length; r++) {
      own[r] = codes[r * dimensions + d] ?? 0;
    }
    return own;
  });
  const names = here.dimensions.map(({ name }) => name);
  return (to) =>
    writeSegments(
      to,
      {
        dimensions: names,
        names: here.names,
        codes: columns,
      },
      length,
    );
}

/**
 * Read captured segments by this process's dimensions; `into` stays empty if none are configured.
 */
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
    for (let d = 0; d < dimensions; d++) {
      into.codes[r * dimensions + d] = codes[d][r];
    }
  }
}
