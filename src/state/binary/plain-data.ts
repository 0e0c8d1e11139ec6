import type { BinaryReader } from './binary-reader.js';
import type { BinaryWriter, Column } from './binary-writer.js';

/** Letters for the types of typed arrays in plain data. */
const ARRAYS = {
  b: Uint8Array,
  h: Uint16Array,
  i: Int32Array,
  f: Float32Array,
  d: Float64Array,
} as const;

type Letter = keyof typeof ARRAYS;

/**
 * Placeholder of an array in the JSON text. The first letter is the type of the array, the second
 * the type in which the array is written. A view has the letter `v` alone.
 */
interface WrittenArray {
  readonly $: string;
}

/**
 * Write objects, arrays, maps, texts, numbers and booleans as JSON, and after it the typed arrays
 * and views that they contain. A typed array of whole numbers is written in the narrowest
 * sufficient type.
 *
 * `readPlain` reads the result. A property that is undefined is left out; an undefined entry of an
 * array becomes a hole.
 */
export function writePlain(to: BinaryWriter, value: unknown): void {
  const columns: Column[] = [];
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Map) return { $map: [...each] };
    if (each instanceof DataView) {
      columns.push(new Uint8Array(each.buffer, each.byteOffset, each.byteLength));
      return { $: 'v' };
    }
    if (ArrayBuffer.isView(each)) {
      const column = narrowed(each as Column);
      columns.push(column);
      return { $: letterOf(each as Column) + letterOf(column) } satisfies WrittenArray;
    }
    if (typeof each === 'number' && !Number.isFinite(each)) return { $number: String(each) };
    return each;
  });
  to.text(text);
  for (const column of columns) {
    to.column(column);
  }
}

/** Read the output of `writePlain`. @throws DamagedCheckpoint if the bytes end too early */
export function readPlain<Data>(from: BinaryReader): Data {
  const text = from.text();
  const arrays: (Column | DataView)[] = [];
  for (const [, kinds] of text.matchAll(/\{"\$":"(\w+)"\}/g)) {
    arrays.push(readArray(from, kinds));
  }
  let next = 0;
  return JSON.parse(text, (_, each: unknown) => {
    if (each === null) return undefined;
    if (typeof each !== 'object') return each;
    if ('$' in each) return arrays[next++];
    if ('$map' in each) return new Map(each.$map as [unknown, unknown][]);
    if ('$number' in each) return Number(each.$number);
    return each;
  }) as Data;
}

function readArray(from: BinaryReader, kinds: string): Column | DataView {
  if (kinds === 'v') return new DataView(from.uint8().buffer);
  const [kind, written] = kinds as unknown as [Letter, Letter];
  const column = readColumn(from, written);
  return kind === written ? column : ARRAYS[kind].from(column);
}

function readColumn(from: BinaryReader, written: Letter): Column {
  if (written === 'b') return from.uint8();
  if (written === 'h') return from.uint16();
  if (written === 'i') return from.int32();
  return written === 'f' ? from.float32() : from.float64();
}

function letterOf(column: Column): Letter {
  if (column instanceof Uint8Array) return 'b';
  if (column instanceof Uint16Array) return 'h';
  if (column instanceof Int32Array) return 'i';
  return column instanceof Float32Array ? 'f' : 'd';
}

function narrowed(column: Column): Column {
  if (!(column instanceof Int32Array || column instanceof Uint16Array)) return column;
  let most = 0;
  for (const value of column) {
    if (value < 0) return column;
    if (value > most) {
      most = value;
    }
  }
  if (most < 0x100) return Uint8Array.from(column);
  return most < 0x1_0000 ? Uint16Array.from(column) : column;
}
