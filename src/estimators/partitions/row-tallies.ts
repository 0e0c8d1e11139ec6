import type { NumberCodec } from '../../state/binary/numbers.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { addColumn, passItems } from './item-sums.js';
import { type ItemNames, NumberedSums } from './rounds.js';

const SHAPE = 0x726f_7773;
const FEW = 4096;

/** Users with the same counts: n, and m of them from randomised traffic. */
interface AlikeUsers {
  readonly n: number;
  readonly m: number;
  users: number;
}

const NOBODY: AlikeUsers = { n: 0, m: 0, users: 0 };

/** What interventions have to know of the rows before their weights. Whole numbers. */
export class RowTallies extends NumberedSums<RowTallies> {
  readonly byItem: Float64Array;
  /** Users with a row. */
  withRows = 0;
  /** Interactions of all users from randomised traffic. */
  randomized = 0;
  /** By n, of those without randomised traffic and few interactions: they are most. */
  readonly #plain = new Float64Array(FEW);
  readonly #others = new Map<string, AlikeUsers>();
  readonly #names: ItemNames | undefined;

  /** @param names needed for bytes alone. */
  constructor(items: number, names: ItemNames | undefined) {
    super(SHAPE);
    this.byItem = new Float64Array(items);
    this.#names = names;
  }

  get rows(): number {
    return this.byItem.reduce((sum, rows) => sum + rows, 0);
  }

  /** Users by their counts, ascending. */
  get users(): readonly AlikeUsers[] {
    const users = [...this.#others.values()];
    this.#plain.forEach((alike, n) => {
      if (alike > 0) users.push({ n, m: 0, users: alike });
    });
    return users.sort((a, b) => a.n - b.n || a.m - b.m);
  }

  *add({ users, userStart, userCount, userRandomized, item }: WindowPart, sliceRows: number) {
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) this.byItem[item[r]]++;
      if (userStart[s + 1] > userStart[s]) this.withRows++;
      this.randomized += userRandomized[s];
      this.#addUsers(userCount[s], userRandomized[s], 1);
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
    addColumn(this.#plain, others.#plain);
    for (const { n, m, users } of others.#others.values()) this.#addUsers(n, m, users);
  }

  pass(through: NumberCodec): void {
    const { users } = this;
    this.withRows = through.number(this.withRows);
    this.randomized = through.number(this.randomized);
    const size = through.number(users.length);
    for (let u = 0; u < size; u++) {
      const { n, m, users: alike } = users[u] ?? NOBODY;
      const passed = [through.number(n), through.number(m), through.number(alike)] as const;
      if (through.reads) this.#addUsers(...passed);
    }
    passItems(through, [this.byItem], this.#names);
  }

  #addUsers(n: number, m: number, users: number): void {
    if (m === 0 && n < FEW && Number.isInteger(n)) {
      this.#plain[n] += users;
      return;
    }
    const key = `${n} ${m}`;
    const known = this.#others.get(key);
    if (known === undefined) this.#others.set(key, { n, m, users });
    else known.users += users;
  }
}
