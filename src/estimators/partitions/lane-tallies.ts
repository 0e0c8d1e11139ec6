import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import type { Selection } from '../lanes/selection.js';
import type { StratumCells } from '../lanes/stratum-cells.js';
import type { WindowCounts } from '../lanes/window-counts.js';
import { addColumn, readItems, writeItems } from './item-sums.js';
import type { ItemNames, PartitionSums } from './rounds.js';

const SHAPE = 0x7461_6c6c;
const MOST_BYTES = 1 << 28;

/**
 * What the counting pass finds among some users: how much there is, and the rows of each lane by cell
 * (`stratumCells`). Whole numbers, which merge in any order.
 */
export class LaneTallies implements PartitionSums<LaneTallies> {
  readonly counts: WindowCounts;
  /** Of chunks in which all lanes have the same rows, and of the others by lane. */
  readonly #common: Float64Array;
  readonly #own: readonly Float64Array[];
  readonly #names: ItemNames | undefined;

  /** @param cells 0 where nobody asks for rows by cell. @param names needed for bytes alone. */
  constructor(counts: WindowCounts, lanes: number, cells: number, names: ItemNames | undefined) {
    this.counts = counts;
    this.#common = new Float64Array(cells);
    this.#own = Array.from({ length: lanes }, () => new Float64Array(cells));
    this.#names = names;
  }

  /** Counts the rows of a lane in a chunk; of all lanes where there is none. */
  add({ item, rows }: Selection, { ofItem }: StratumCells, lane?: number): void {
    const into = lane === undefined ? this.#common : this.#own[lane];
    for (let i = 0; i < rows; i++) into[ofItem[item[i]]]++;
  }

  /** Rows of a lane, by cell. */
  rowsOf(lane: number): Float64Array {
    return this.#own[lane].map((rows, cell) => rows + this.#common[cell]);
  }

  ofOthers(): LaneTallies {
    const cells = this.#common.length;
    return new LaneTallies(this.counts.ofOthers(), this.#own.length, cells, this.#names);
  }

  merge(others: LaneTallies): void {
    this.counts.merge(others.counts);
    addColumn(this.#common, others.#common);
    this.#own.forEach((own, l) => {
      addColumn(own, others.#own[l]);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    this.#pass(to);
    writeItems(to, [this.counts.byItem], this.#names);
    return to.seal(this.#shape());
  }

  decode(bytes: Uint8Array): LaneTallies {
    const tallies = this.ofOthers();
    const from = new NumberReader(bytes, this.#shape(), MOST_BYTES);
    tallies.#pass(from);
    readItems(from, [tallies.counts.byItem], this.#names);
    from.finish();
    return tallies;
  }

  #pass(through: NumberReader | NumberWriter): void {
    this.counts.pass(through);
    for (const column of [this.#common, ...this.#own]) through.numbers(column);
  }

  #shape(): number {
    return (SHAPE ^ Math.imul(this.#common.length + 1, 0x9e3779b1)) + this.#own.length;
  }
}
