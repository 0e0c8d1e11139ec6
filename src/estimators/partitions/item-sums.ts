import { DamagedNumbers } from '../../errors.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { type ItemNames, NumberedSums } from './rounds.js';

const SHAPE = 0x6974_656d;

/** Columns of whole numbers by item. */
export class ItemSums extends NumberedSums<ItemSums> {
  /** By column, then by dense number of the item. */
  readonly columns: readonly Float64Array[];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /** @param names needed for bytes alone. */
  constructor(columns: number, items: number, names: ItemNames | undefined) {
    super(SHAPE + columns, 'any');
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
 * so they stand by the numbers that all call them by, ascending, and after those by their ids; an item
 * that is 0 in all columns is left out.
 *
 * @param which whether every item has to be known where it is read, or those that are not are left out.
 * @param found columns of which one is not 0 wherever any is.
 */
export function passItems(
  through: NumberCodec,
  columns: readonly Float64Array[],
  names: ItemNames | undefined,
  which: 'all' | 'own' = 'all',
  found = columns,
): void {
  if (names === undefined) throw new RangeError('sums by item need the names of items');
  const size = columns[0].length;
  const { calls, texts } = through.reads ? NOTHING : foundItems(found, names);
  const pass = (item: number | undefined, name: string | number) => {
    const isKnown = item !== undefined && item >= 0 && item < size;
    if (!isKnown && which === 'all') throw new DamagedNumbers(`an item has no count: ${name}`);
    for (const column of columns) {
      const passed = through.number(isKnown ? column[item] : 0);
      if (isKnown) column[item] = passed;
    }
  };
  const known = through.number(calls.length);
  for (let n = 0, call = -1; n < known; n++) {
    call += through.number(through.reads ? 0 : calls[n] - call);
    pass(names.called[call], call);
  }
  const unknown = through.number(texts.length);
  for (let n = 0; n < unknown; n++) {
    const text = passText(through, texts[n] ?? '');
    pass(names.itemOf(text), JSON.stringify(text));
  }
}

/** The same of flags: 28 items a number of four bytes, and then the ids of items that have none. */
export function passFlags(
  through: NumberCodec,
  flags: Uint8Array,
  names: ItemNames | undefined,
): void {
  if (names === undefined) throw new RangeError('items need their names');
  const { calls, texts } = through.reads ? NOTHING : foundItems([flags], names);
  const words = new Float64Array(Math.ceil(names.called.length / FLAGS));
  for (const call of calls) words[Math.trunc(call / FLAGS)] += 1 << (call % FLAGS);
  through.numbers(words);
  const mark = (item: number | undefined, name: string | number) => {
    if (!(item! >= 0 && item! < flags.length))
      throw new DamagedNumbers(`an item has no count: ${name}`);
    flags[item!] = 1;
  };
  for (let at = 0; at < words.length && through.reads; at++) {
    for (let left = words[at] | 0, call = at * FLAGS; left > 0; left >>>= 1, call++) {
      if ((left & 1) === 1) mark(names.called[call], call);
    }
  }
  const unknown = through.number(texts.length);
  for (let n = 0; n < unknown; n++) {
    const text = passText(through, texts[n] ?? '');
    mark(names.itemOf(text), JSON.stringify(text));
  }
}

/** Flags in a number. */
const FLAGS = 28;

interface FoundItems {
  /** Numbers by which all call the items, ascending. */
  readonly calls: Int32Array;
  /** Ids of those that have none. */
  readonly texts: readonly string[];
}

const NOTHING: FoundItems = { calls: new Int32Array(0), texts: [] };

/** The items that are not 0 in all columns. */
function foundItems(
  columns: readonly ArrayLike<number>[],
  { called, textOf }: ItemNames,
): FoundItems {
  const isThere = new Uint8Array(columns[0].length);
  let left = 0;
  for (let item = 0; item < isThere.length; item++) {
    for (let c = 0; c < columns.length; c++) {
      if (columns[c][item] === 0) continue;
      isThere[item] = 1;
      left++;
      break;
    }
  }
  const calls = new Int32Array(called.length);
  let size = 0;
  for (let call = 0; call < called.length && left > 0; call++) {
    const item = called[call];
    if (isThere[item] !== 1) continue;
    calls[size++] = call;
    isThere[item] = 0;
    left--;
  }
  const texts: string[] = [];
  for (const [item, is] of left > 0 ? isThere.entries() : [])
    if (is === 1) texts.push(textOf(item));
  return { calls: calls.subarray(0, size), texts };
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
