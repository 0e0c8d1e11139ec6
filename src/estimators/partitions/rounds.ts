import { type NumberCodec, NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { WindowPart } from '../../state/panes/window-part.js';

/** Sums of some users of a window, which merge with those of others of the same shape. */
export interface PartitionSums<Sums> {
  /** The same sums without users yet. */
  ofOthers(): Sums;
  /** Takes the sums of other users. */
  merge(others: Sums): void;
  /**
   * Takes of the sums of other users what comes to the same bits in any order.
   *
   * @returns what is left of them; undefined where that is nothing
   */
  pool(others: Sums): Sums | undefined;
  encode(): Uint8Array;
  /** @throws DamagedNumbers if the bytes are not those of such sums. */
  decode(bytes: Uint8Array): Sums;
}

/** Much more than the sums of any window take. */
const MOST_BYTES = 1 << 28;

/** Sums that become bytes number by number, by one method for both ways. */
export abstract class NumberedSums<Sums extends NumberedSums<Sums>> implements PartitionSums<Sums> {
  readonly #seal: number;
  readonly #order: 'any' | 'partitions';

  /**
   * @param seal what tells bytes of such sums from those of others, 32 bits.
   * @param order in which they merge to the same bits.
   */
  constructor(seal: number, order: 'any' | 'partitions' = 'partitions') {
    this.#seal = seal;
    this.#order = order;
  }

  abstract ofOthers(): Sums;
  abstract merge(others: Sums): void;
  /** Writes all numbers, or reads them into sums without users. */
  abstract pass(through: NumberCodec): void;

  pool(others: Sums): Sums | undefined {
    if (this.#order === 'partitions') return others;
    this.merge(others);
    return undefined;
  }

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

/** What items are called in sums that leave the process. */
export interface ItemNames {
  /** By the number that all processes call an item by, its own here; −1 where it is not known here. */
  readonly called: Int32Array;
  /** Ids, of items that have no such number. */
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
  /** Whether the n-th thing that one process does for all falls to this one; as `names`. */
  readonly does?: (n: number) => boolean;
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

/** In place of sums that went with those of another part of the process. */
const WITH_ANOTHER = Uint8Array.of(0);

/** The sums of each part of a process as bytes; what adds up in any order stands with the first. */
export function* encodedParts<Sums extends PartitionSums<Sums>, Part>(
  none: Sums,
  parts: readonly Part[],
  fill: (sums: Sums, part: Part) => Generator<void, void>,
): Generator<void, Uint8Array[]> {
  let first: Sums | undefined;
  const rest: Uint8Array[] = [];
  for (const part of parts) {
    const own = none.ofOthers();
    yield* fill(own, part);
    if (first === undefined) first = own;
    else rest.push(first.pool(own)?.encode() ?? WITH_ANOTHER);
  }
  return first === undefined ? [] : [first.encode(), ...rest];
}

/** Merges what `encodedParts` gave for all partitions, in their order. */
export function mergeEncoded<Sums extends PartitionSums<Sums>>(
  into: Sums,
  payloads: readonly Uint8Array[],
): Sums {
  for (const bytes of payloads) {
    if (bytes.length > WITH_ANOTHER.length) into.merge(into.decode(bytes));
  }
  return into;
}
