import { DamagedNumbers } from '../../errors.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { ItemNames, PartitionSums } from './rounds.js';

const SHAPE = 0x6974_656d;
/** A million items with long ids and three columns; what is more is not of a window. */
const MOST_BYTES = 1 << 28;

/**
 * Columns of sums by item. Each sum is one item's alone, so that the order of items matters to
 * nothing.
 */
export class ItemSums implements PartitionSums<ItemSums> {
  /** By column, then by dense number of the item. */
  readonly columns: readonly Float64Array[];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /** @param names needed for bytes alone. */
  constructor(columns: number, items: number, names: ItemNames | undefined) {
    this.columns = Array.from({ length: columns }, () => new Float64Array(items));
    this.#items = items;
    this.#names = names;
  }

  ofOthers(): ItemSums {
    return new ItemSums(this.columns.length, this.#items, this.#names);
  }

  merge({ columns }: ItemSums): void {
    this.columns.forEach((own, c) => {
      addColumn(own, columns[c]);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    writeItems(to, this.columns, this.#names);
    return to.seal(SHAPE + this.columns.length);
  }

  decode(bytes: Uint8Array): ItemSums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE + this.columns.length, MOST_BYTES);
    readItems(from, sums.columns, this.#names);
    from.finish();
    return sums;
  }
}

/** Adds one column to another of the same length. */
export function addColumn(own: Float64Array, other: Float64Array): void {
  for (let i = 0; i < own.length; i++) own[i] += other[i];
}

/**
 * Writes columns by item. Each process numbers items in its own way, so they stand with their ids;
 * an item that is 0 in all columns is left out.
 */
export function writeItems(
  to: NumberWriter,
  columns: readonly Float64Array[],
  names: ItemNames | undefined,
): void {
  if (names === undefined) throw new RangeError('sums by item need the names of items');
  const kept: number[] = [];
  for (let item = 0; item < (columns[0]?.length ?? 0); item++) {
    if (columns.some((column) => column[item] !== 0)) kept.push(item);
  }
  to.number(kept.length);
  for (const item of kept) {
    writeText(to, names.textOf(item));
    for (const column of columns) to.number(column[item]);
  }
}

/**
 * Reads what `writeItems` wrote, into columns of 0.
 *
 * @param which every item has to be known here, or those that are not are left out.
 */
export function readItems(
  from: NumberReader,
  columns: readonly Float64Array[],
  names: ItemNames | undefined,
  which: 'all' | 'own' = 'all',
): void {
  if (names === undefined) throw new RangeError('sums by item need the names of items');
  const kept = from.number(0);
  for (let k = 0; k < kept; k++) {
    const id = readText(from);
    const item = names.itemOf(id);
    if (item === undefined || !(item < columns[0].length)) {
      if (which === 'all') throw new DamagedNumbers(`an item has no count: ${JSON.stringify(id)}`);
      for (let skipped = 0; skipped < columns.length; skipped++) from.number(0);
      continue;
    }
    for (const column of columns) column[item] = from.number(0);
  }
}

export function writeText(to: NumberWriter, text: string): void {
  to.number(text.length);
  for (let at = 0; at < text.length; at++) to.number(text.charCodeAt(at));
}

export function readText(from: NumberReader): string {
  const length = from.number(0);
  let text = '';
  for (let at = 0; at < length; at++) text += String.fromCharCode(from.number(0));
  return text;
}
