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

/**
 * Brings the sums of all partitions of a window together. What a process makes of its own rows goes
 * in, what all partitions come to comes out, the same in every process.
 *
 * A window takes part in the same rounds in the same order in each process, since what decides on a
 * round is known to all.
 */
export interface Rounds {
  /**
   * Merges the sums of all partitions, in their order, into `into`, which is without users.
   *
   * @param own of the process's own parts, in the order of these. Yields until others have come.
   */
  gather<Sums extends PartitionSums<Sums>>(into: Sums, own: readonly Sums[]): Generator<void, Sums>;
}

/** Of a process that has all partitions: its own sums are all there are. */
export const ALONE: Rounds = {
  // biome-ignore lint/correctness/useYield: nobody is waited for.
  *gather(into, own) {
    for (const sums of own) into.merge(sums);
    return into;
  },
};
