import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { addColumn, readItems, writeItems } from './item-sums.js';
import type { ItemNames, PartitionSums } from './rounds.js';

const SHAPE = 0x726f_7773;
const MOST_BYTES = 1 << 28;

/** Users with the same counts: n, and m of them from randomised traffic. */
interface AlikeUsers {
  readonly n: number;
  readonly m: number;
  users: number;
}

/** What interventions have to know of the rows before their weights. Whole numbers. */
export class RowTallies implements PartitionSums<RowTallies> {
  readonly byItem: Float64Array;
  /** Users with a row. */
  withRows = 0;
  /** Interactions of all users from randomised traffic. */
  randomized = 0;
  readonly #users = new Map<string, AlikeUsers>();
  readonly #names: ItemNames | undefined;

  /** @param names needed for bytes alone. */
  constructor(items: number, names: ItemNames | undefined) {
    this.byItem = new Float64Array(items);
    this.#names = names;
  }

  get rows(): number {
    return this.byItem.reduce((sum, rows) => sum + rows, 0);
  }

  /** Users by their counts, ascending. */
  get users(): readonly AlikeUsers[] {
    return [...this.#users.values()].sort((a, b) => a.n - b.n || a.m - b.m);
  }

  *add({ users, userStart, userCount, userRandomized, item }: WindowPart, sliceRows: number) {
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) this.byItem[item[r]]++;
      if (userStart[s + 1] > userStart[s]) this.withRows++;
      this.randomized += userRandomized[s];
      this.#addUsers({ n: userCount[s], m: userRandomized[s], users: 1 });
      if (userStart[s + 1] < yieldAt) continue;
      yieldAt = userStart[s + 1] + sliceRows;
      yield;
    }
  }

  ofOthers(): RowTallies {
    return new RowTallies(this.byItem.length, this.#names);
  }

  merge(others: RowTallies): void {
    addColumn(this.byItem, others.byItem);
    this.withRows += others.withRows;
    this.randomized += others.randomized;
    for (const each of others.#users.values()) this.#addUsers(each);
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    const { users } = this;
    for (const number of [this.withRows, this.randomized, users.length]) to.number(number);
    for (const { n, m, users: alike } of users) {
      for (const number of [n, m, alike]) to.number(number);
    }
    writeItems(to, [this.byItem], this.#names);
    return to.seal(SHAPE);
  }

  decode(bytes: Uint8Array): RowTallies {
    const tallies = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE, MOST_BYTES);
    tallies.withRows = from.number(0);
    tallies.randomized = from.number(0);
    const size = from.number(0);
    for (let u = 0; u < size; u++) {
      tallies.#addUsers({ n: from.number(0), m: from.number(0), users: from.number(0) });
    }
    readItems(from, [tallies.byItem], this.#names);
    from.finish();
    return tallies;
  }

  #addUsers({ n, m, users }: AlikeUsers): void {
    const key = `${n} ${m}`;
    const known = this.#users.get(key);
    if (known === undefined) this.#users.set(key, { n, m, users });
    else known.users += users;
  }
}
