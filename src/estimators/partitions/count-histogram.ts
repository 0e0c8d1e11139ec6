import type { NumberCodec } from '../../state/binary/numbers.js';
import { NumberedSums } from './rounds.js';

const SHAPE = 0x6869_7374;

/** How many users have each count. */
export class CountHistogram extends NumberedSums<CountHistogram> {
  readonly #users = new Map<number, number>();

  constructor() {
    super(SHAPE, 'any');
  }

  add(count: number, users = 1): void {
    this.#users.set(count, (this.#users.get(count) ?? 0) + users);
  }

  /** Counts with their users, ascending. */
  ascending(): [count: number, users: number][] {
    return [...this.#users].sort(([a], [b]) => a - b);
  }

  ofOthers(): CountHistogram {
    return new CountHistogram();
  }

  merge(others: CountHistogram): void {
    for (const [count, users] of others.#users) this.add(count, users);
  }

  pass(through: NumberCodec): void {
    const pairs = this.ascending();
    const size = through.number(pairs.length);
    for (let c = 0; c < size; c++) {
      const [count, users] = pairs[c] ?? [0, 0];
      this.#users.set(through.number(count), through.number(users));
    }
  }
}
