import { FIRST_VALUE } from '../../events/dimensions.js';
import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { readText, writeText } from '../partitions/item-sums.js';
import type { PartitionSums } from '../partitions/rounds.js';

const SHAPE = 0x7365_6773;
/** Dimensions have at most some ten thousand values each. */
const MOST_BYTES = 1 << 28;

/** Positive rows by the value of each dimension. Whole numbers. */
export class ValueCounts implements PartitionSums<ValueCounts> {
  /** By dimension, then by value. */
  values: Map<string, number>[] = [];
  #dimensions: readonly string[] | undefined;
  /** By dimension: rows of either code that is no value. */
  #nameless: number[][] = [];
  /** Positive rows of parts that know no dimension: they say nothing in any. */
  #silent = 0;

  /** Undefined where no part has said anything of them. */
  get dimensions(): readonly string[] | undefined {
    return this.#dimensions;
  }

  /** By dimension and code below the first of a value. */
  get nameless(): readonly (readonly number[])[] {
    return this.#nameless.map(([unsaid, ...others]) => [unsaid + this.#silent, ...others]);
  }

  add({ rows, positive, segments }: WindowPart): void {
    if (segments === undefined) {
      for (let r = 0; r < rows; r++) this.#silent += positive[r];
      return;
    }
    this.#begin(segments.dimensions);
    for (const [d, names] of segments.names.entries()) {
      const byCode = new Float64Array(Math.max(FIRST_VALUE, names.length));
      const codes = segments.codes[d];
      for (let r = 0; r < rows; r++) byCode[codes[r]] += positive[r];
      for (let code = 0; code < FIRST_VALUE; code++) this.#nameless[d][code] += byCode[code];
      for (let code = FIRST_VALUE; code < names.length; code++) {
        if (byCode[code] > 0) this.#addValue(d, names[code], byCode[code]);
      }
    }
  }

  ofOthers(): ValueCounts {
    return new ValueCounts();
  }

  merge(others: ValueCounts): void {
    this.#silent += others.#silent;
    if (others.#dimensions === undefined) return;
    this.#begin(others.#dimensions);
    for (const [d, own] of others.values.entries()) {
      for (let code = 0; code < FIRST_VALUE; code++) {
        this.#nameless[d][code] += others.#nameless[d][code];
      }
      for (const [name, rows] of own) this.#addValue(d, name, rows);
    }
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    to.number(this.#silent);
    to.number(this.#dimensions === undefined ? 0 : 1);
    to.number(this.values.length);
    for (const [d, own] of this.values.entries()) {
      writeText(to, this.#dimensions![d]);
      for (const rows of this.#nameless[d]) to.number(rows);
      to.number(own.size);
      for (const [name, rows] of own) {
        writeText(to, name);
        to.number(rows);
      }
    }
    return to.seal(SHAPE);
  }

  decode(bytes: Uint8Array): ValueCounts {
    const counts = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE, MOST_BYTES);
    counts.#silent = from.number(0);
    const isSaid = from.number(0) === 1;
    const size = from.number(0);
    const dimensions: string[] = [];
    for (let d = 0; d < size; d++) {
      dimensions.push(readText(from));
      const nameless: number[] = [];
      for (let code = 0; code < FIRST_VALUE; code++) nameless.push(from.number(0));
      counts.#nameless.push(nameless);
      const own = new Map<string, number>();
      for (let left = from.number(0); left > 0; left--) own.set(readText(from), from.number(0));
      counts.values.push(own);
    }
    if (isSaid) counts.#dimensions = dimensions;
    from.finish();
    return counts;
  }

  #begin(dimensions: readonly string[]): void {
    if (this.#dimensions !== undefined) return;
    this.#dimensions = dimensions;
    this.values = dimensions.map(() => new Map());
    this.#nameless = dimensions.map(() => new Array<number>(FIRST_VALUE).fill(0));
  }

  #addValue(d: number, name: string, rows: number): void {
    this.values[d].set(name, (this.values[d].get(name) ?? 0) + rows);
  }
}
