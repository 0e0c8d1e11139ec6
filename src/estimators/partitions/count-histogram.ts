import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { PartitionSums } from './rounds.js';

const SHAPE = 0x6869_7374;
const MOST_BYTES = 1 << 26;

/** How many users have each count. */
export class CountHistogram implements PartitionSums<CountHistogram> {
  readonly #users = new Map<number, number>();

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

  encode(): Uint8Array {
    const to = new NumberWriter();
    to.number(this.#users.size);
    for (const pair of this.ascending()) for (const number of pair) to.number(number);
    return to.seal(SHAPE);
  }

  decode(bytes: Uint8Array): CountHistogram {
    const histogram = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE, MOST_BYTES);
    const size = from.number(0);
    for (let c = 0; c < size; c++) histogram.add(from.number(0), from.number(0));
    from.finish();
    return histogram;
  }
}
