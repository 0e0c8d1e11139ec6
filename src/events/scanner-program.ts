import { FIELDS } from './field.js';
import { SCANNER_CODE } from './scanner-code.js';

/** The part of the global `WebAssembly` that is used here; the types of Node lack it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** Number of bytes to allocate after the input: the program may read whole words across its end. */
export const MARGIN = 64;

interface Value {
  readonly value: number;
}

/** Exports of `assembly/scanner.ts`; positions are byte addresses in its memory. */
export interface ScannerProgram {
  /** Memory of the program; growing it replaces the buffer. */
  readonly memory: { readonly buffer: ArrayBuffer };
  alloc(bytes: number): number;
  nameField(field: number, first: bigint, second: bigint): void;

  readonly ROWS: Value;
  readonly LISTED: Value;
  readonly columnsAt: Value;
  readonly interactions: Value;
  readonly exposures: Value;
  readonly lines: Value;
  begin(seed: bigint, maxBytes: number, latestTs: number, withActions: boolean): void;
  setLengths(interactions: number, exposures: number): void;
  scan(at: number, end: number): number;

  readonly MOST_COLUMNS: Value;
  readonly columnFields: Value;
  beginRows(columns: number, delimiter: number, kind: number): void;
  scanRows(at: number, end: number): number;

  readonly statedAt: Value;
  readonly startsAt: Value;
  readonly endsAt: Value;
  readonly itemsAt: Value;
  readonly chancesAt: Value;
  readonly scoresAt: Value;
  read(at: number, end: number, names: number, count: number, withScores: boolean): number;
}

let compiled: object | undefined;

/**
 * Create an instance of the compiled scanner, with a memory of its own.
 *
 * @param intern  interns the id in bytes start ≤ i < end of the memory; tables 0 to 3 are those of
 *   users, items, models and actions
 */
export function scannerProgram(
  intern: (table: number, start: number, end: number) => number,
): ScannerProgram {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(SCANNER_CODE), (c) => c.charCodeAt(0)));
  const { exports } = new WebAssembly.Instance(compiled, { env: { intern } });
  const program = exports as ScannerProgram;
  for (const [field, name] of FIELDS.entries()) {
    const bytes = new Uint8Array(16);
    new TextEncoder().encodeInto(name, bytes);
    const words = new BigUint64Array(bytes.buffer);
    program.nameField(field, words[0], words[1]);
  }
  return program;
}
