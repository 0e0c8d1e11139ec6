import type { NumberCodec } from '../../state/binary/number-codec.js';
import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import { KeyTally } from '../interventions/key-tally.js';
import type { PartitionSums } from './rounds.js';

const COUNTS_SHAPE = 0x6b63_6e74;
const KEYS_SHAPE = 0x6b65_7973;
const MOST_BYTES = 1 << 28;
/** A few in a hundred keys share a bin, however many rows there are. */
const FEW = 0;

/** A row's key in a draw; rows whose keys are equal stand in the order of their ids' hashes. */
export type RowKey = readonly [key: number, user: number, item: number];

/** How many keys lie where, of the draws of several interventions. */
export class KeyCounts implements PartitionSums<KeyCounts> {
  readonly tallies: readonly KeyTally[];

  constructor(draws: number) {
    this.tallies = Array.from({ length: draws }, () => new KeyTally(FEW));
  }

  ofOthers(): KeyCounts {
    return new KeyCounts(this.tallies.length);
  }

  merge({ tallies }: KeyCounts): void {
    this.tallies.forEach((own, n) => {
      own.merge(tallies[n]);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const own of this.tallies) own.pass(to);
    return to.seal(COUNTS_SHAPE + this.tallies.length);
  }

  decode(bytes: Uint8Array): KeyCounts {
    const counts = this.ofOthers();
    const from = new NumberReader(bytes, COUNTS_SHAPE + this.tallies.length, MOST_BYTES);
    for (const own of counts.tallies) own.pass(from);
    from.finish();
    return counts;
  }
}

/** The keys of the bin that the last row of each draw lies in. */
export class BinKeys implements PartitionSums<BinKeys> {
  readonly lists: RowKey[][];

  constructor(draws: number) {
    this.lists = Array.from({ length: draws }, () => []);
  }

  /** The n-th smallest of a draw, from 1. */
  nth(draw: number, n: number): RowKey {
    return [...this.lists[draw]].sort(compareKeys)[n - 1];
  }

  ofOthers(): BinKeys {
    return new BinKeys(this.lists.length);
  }

  merge({ lists }: BinKeys): void {
    this.lists.forEach((own, n) => {
      for (const key of lists[n]) own.push(key);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    this.#pass(to);
    return to.seal(KEYS_SHAPE + this.lists.length);
  }

  decode(bytes: Uint8Array): BinKeys {
    const keys = this.ofOthers();
    const from = new NumberReader(bytes, KEYS_SHAPE + this.lists.length, MOST_BYTES);
    keys.#pass(from);
    from.finish();
    return keys;
  }

  #pass(through: NumberCodec): void {
    for (const list of this.lists) {
      const size = through.number(list.length);
      for (let n = 0; n < size; n++) {
        const [key, user, item] = list[n] ?? [0, 0, 0];
        list[n] = [through.number(key), through.number(user), through.number(item)];
      }
    }
  }
}

export function compareKeys(a: RowKey, b: RowKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
