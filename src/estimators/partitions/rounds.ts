import { type NumberCodec, NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { WindowPart } from '../../state/panes/window-part.js';

/** Sums of some users of a window, which merge with those of others of the same shape. */
export interface PartitionSums<Sums> {
  /** The same sums without users yet. */
  ofOthers(): Sums;
  /** Takes the sums of other users. */
  merge(others: Sums): void;
  encode(): Uint8Array;
  /** @throws DamagedNumbers if the bytes are not those of such sums. */
  decode(bytes: Uint8Array): Sums;
}

/** Much more than the sums of any window take. */
const MOST_BYTES = 1 << 28;

/** Sums that become bytes number by number, by one method for both ways. */
export abstract class NumberedSums<Sums extends NumberedSums<Sums>> implements PartitionSums<Sums> {
  readonly #seal: number;

  /** @param seal what tells bytes of such sums from those of others, 32 bits. */
  constructor(seal: number) {
    this.#seal = seal;
  }

  abstract ofOthers(): Sums;
  abstract merge(others: Sums): void;
  /** Writes all numbers, or reads them into sums without users. */
  abstract pass(through: NumberCodec): void;

  encode(): Uint8Array {
    const to = new NumberWriter();
    this.pass(to);
    return to.seal(this.seal());
  }

  decode(bytes: Uint8Array): Sums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, this.seal(), MOST_BYTES);
    sums.pass(from);
    from.finish();
    return sums;
  }

  protected seal(): number {
    return this.#seal;
  }
}

/** Items by their ids, for sums that leave the process. */
export interface ItemNames {
  textOf(item: number): string;
  /** Undefined where the item is not known here. */
  itemOf(text: string): number | undefined;
}

/**
 * Brings the sums of all partitions of a window together. What a process makes of its own rows goes
 * in, what all partitions come to comes out, the same in every process.
 *
 * A window takes part in the same rounds in the same order in each process, since what decides on a
 * round is known to all.
 */
export interface Rounds {
  /** Only there where sums become bytes. */
  readonly names?: ItemNames;
  /**
   * Merges the sums of all partitions, in their order, into `into`, which is without users.
   *
   * @param parts the process's own, in the order of partitions. @param fill takes in the users of one
   * part. Yields until the sums of others have come.
   */
  gather<Sums extends PartitionSums<Sums>, Part = WindowPart>(
    into: Sums,
    parts: readonly Part[],
    fill: (sums: Sums, part: Part) => Generator<void, void>,
  ): Generator<void, Sums>;
}

/** Of a process that has all partitions: its own sums are all there are. */
export const ALONE: Rounds = {
  *gather(into, parts, fill) {
    for (const part of parts) {
      const own = into.ofOthers();
      yield* fill(own, part);
      into.merge(own);
    }
    return into;
  },
};
