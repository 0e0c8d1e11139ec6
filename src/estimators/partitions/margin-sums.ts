import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import { addColumn, readItems, writeItems } from './item-sums.js';
import type { ItemNames, PartitionSums } from './rounds.js';

const SHAPE = 0x6d61_7267;
const MOST_BYTES = 1 << 28;

/** What the margins of one intervention come to. */
export interface InterventionMargins {
  /** Σ_u |share_u − target_u|: of rows, weights and chances. */
  readonly users: Float64Array;
  /** Σ max(0, π / Σπ − w / Σw) over rows. */
  excess: number;
  /** Σ w and Σ π by item; null where they follow from the item alone. */
  readonly items: readonly [Float64Array, Float64Array] | null;
}

/** Margins of several interventions over some users. */
export class MarginSums implements PartitionSums<MarginSums> {
  readonly margins: readonly InterventionMargins[];
  readonly #columns: readonly Float64Array[];
  readonly #items: number;
  readonly #names: ItemNames | undefined;

  /**
   * @param haveColumns by intervention, whether weights differ from user to user. @param names needed
   * for bytes alone.
   */
  constructor(haveColumns: readonly boolean[], items: number, names: ItemNames | undefined) {
    this.margins = haveColumns.map((hasColumns) => ({
      users: new Float64Array(3),
      excess: 0,
      items: hasColumns ? [new Float64Array(items), new Float64Array(items)] : null,
    }));
    this.#columns = this.margins.flatMap((own) => own.items ?? []);
    this.#items = items;
    this.#names = names;
  }

  ofOthers(): MarginSums {
    const haveColumns = this.margins.map(({ items }) => items !== null);
    return new MarginSums(haveColumns, this.#items, this.#names);
  }

  merge(others: MarginSums): void {
    this.margins.forEach((own, n) => {
      const other = others.margins[n];
      addColumn(own.users, other.users);
      own.excess += other.excess;
    });
    this.#columns.forEach((own, c) => {
      addColumn(own, others.#columns[c]);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const { users, excess } of this.margins) {
      to.numbers(users);
      to.number(excess);
    }
    if (this.#columns.length > 0) writeItems(to, this.#columns, this.#names);
    return to.seal(this.#shape());
  }

  decode(bytes: Uint8Array): MarginSums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, this.#shape(), MOST_BYTES);
    for (const own of sums.margins) {
      from.numbers(own.users);
      own.excess = from.number(0);
    }
    if (sums.#columns.length > 0) readItems(from, sums.#columns, this.#names);
    from.finish();
    return sums;
  }

  #shape(): number {
    return SHAPE + 64 * this.margins.length + this.#columns.length;
  }
}
