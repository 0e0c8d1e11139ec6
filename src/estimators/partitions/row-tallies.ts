import type { NumberCodec } from '../../state/binary/numbers.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { addColumn } from './item-sums.js';
import { NumberedSums } from './rounds.js';

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
  /** Rows by level of their item. */
  readonly byLevel: Float64Array;
  /** Users with a row. */
  withRows = 0;
  /** Interactions of all users from randomised traffic. */
  randomized = 0;
  /** By n, of those without randomised traffic and few interactions: they are most. */
  readonly #plain = new Float64Array(FEW);
  readonly #others = new Map<string, AlikeUsers>();

  /** @param levels how many there are. */
  constructor(levels: number) {
    super(SHAPE, 'any');
    this.byLevel = new Float64Array(levels);
  }

  get rows(): number {
    return this.byLevel.reduce((sum, rows) => sum + rows, 0);
  }

  /** Users by their counts, ascending. */
  get users(): readonly AlikeUsers[] {
    const users = [...this.#others.values()];
    this.#plain.forEach((alike, n) => {
      if (alike > 0) users.push({ n, m: 0, users: alike });
    });
    return users.sort((a, b) => a.n - b.n || a.m - b.m);
  }

  /** @param levelOf by item. */
  *add(
    { users, userStart, userCount, userRandomized, item }: WindowPart,
    levelOf: Int32Array,
    sliceRows: number,
  ): Generator<void, void> {
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) this.byLevel[levelOf[item[r]]]++;
      if (userStart[s + 1] > userStart[s]) this.withRows++;
      this.randomized += userRandomized[s];
      this.#addUsers(userCount[s], userRandomized[s], 1);
      if (userStart[s + 1] < yieldAt) continue;
      yieldAt = userStart[s + 1] + sliceRows;
      yield;
    }
  }

  ofOthers(): RowTallies {
    return new RowTallies(this.byLevel.length);
  }

  merge(others: RowTallies): void {
    addColumn(this.byLevel, others.byLevel);
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
    through.numbers(this.byLevel);
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
