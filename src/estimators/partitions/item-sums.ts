import { DamagedNumbers } from '../../errors.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { type ItemNames, NumberedSums } from './rounds.js';

const SHAPE = 0x6974_656d;

/**
 * Columns of sums by item. Each sum is one item's alone, so that the order of items matters to
 * nothing.
 */
export class ItemSums extends NumberedSums<ItemSums> {
  /** By column, then by dense number of the item. */
  readonly columns: readonly Float64Array[];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /** @param names needed for bytes alone. */
  constructor(columns: number, items: number, names: ItemNames | undefined) {
    super(SHAPE + columns);
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

  pass(through: NumberCodec): void {
    passItems(through, this.columns, this.#names);
  }
}

/** Adds one column to another of the same length. */
export function addColumn(own: Float64Array, other: Float64Array): void {
  for (let i = 0; i < own.length; i++) own[i] += other[i];
}

/**
 * Writes columns by item, or reads them into columns of 0. Each process numbers items in its own way,
 * so they stand with their ids; an item that is 0 in all columns is left out.
 *
 * @param which whether every item has to be known where it is read, or those that are not are left out.
 */
export function passItems(
  through: NumberCodec,
  columns: readonly Float64Array[],
  names: ItemNames | undefined,
  which: 'all' | 'own' = 'all',
): void {
  if (names === undefined) throw new RangeError('sums by item need the names of items');
  const kept: number[] = [];
  for (let item = 0; item < (columns[0]?.length ?? 0); item++) {
    if (columns.some((column) => column[item] !== 0)) kept.push(item);
  }
  const size = through.number(kept.length);
  for (let k = 0; k < size; k++) {
    const id = passText(through, through.reads ? '' : names.textOf(kept[k]));
    const item = through.reads ? names.itemOf(id) : kept[k];
    if (item === undefined || !(item < columns[0].length)) {
      if (which === 'all') throw new DamagedNumbers(`an item has no count: ${JSON.stringify(id)}`);
      for (let skipped = 0; skipped < columns.length; skipped++) through.number(0);
      continue;
    }
    for (const column of columns) column[item] = through.number(column[item]);
  }
}

/** Writes a text, or reads one; @returns the text that stands there. */
export function passText(through: NumberCodec, text: string): string {
  const length = through.number(text.length);
  let passed = '';
  for (let at = 0; at < length; at++) {
    passed += String.fromCharCode(through.number(text.charCodeAt(at)));
  }
  return passed;
}
