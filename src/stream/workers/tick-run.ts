import type { ItemNames, PartitionSums, Rounds } from '../../estimators/partitions/rounds.js';

/** Of a partition that has nothing more to say: its worker is at the tick's end. */
const NOTHING = new Uint8Array(0);

/**
 * Whether a round is the last of its pane: no partition had anything to say in it. So a pane is
 * concluded when all have come to the end of its tick.
 *
 * @param rounds payloads by round, then by partition; those of the closings first
 * @example
 * isLastRound(4, [[Uint8Array.of(1)], [new Uint8Array(0)]]); // true
 */
export function isLastRound(_: number, rounds: readonly (readonly Uint8Array[])[]): boolean {
  return rounds.length > 1 && rounds[rounds.length - 1].every(({ length }) => length === 0);
}

/**
 * One tick of a worker that has some of the partitions. Each `gather` is a round: what its own
 * partitions come to it says by `payloadOf`, and goes on when those of all are known to it. One that
 * is begun in the middle of a pane goes through the rounds before by what was said in them.
 */
export class TickRun<Result> {
  readonly pane: number;
  /** Its own, ascending: those that it has parts of. */
  readonly partitions: readonly number[];
  readonly #work: Generator<void, Result>;
  /** By round, then by partition. */
  readonly #own = new Map<number, Map<number, Uint8Array>>();
  #complete: readonly (readonly Uint8Array[])[];
  /** Rounds that it has begun; that of the closings is none of them. */
  #round = 0;
  #isWaiting = false;
  #end: { readonly result: Result } | undefined;

  /**
   * @param complete rounds that are known, the closings first.
   * @param tick gathers one part for each of its partitions in their order, in every round.
   */
  constructor(
    pane: number,
    partitions: readonly number[],
    complete: readonly (readonly Uint8Array[])[],
    tick: (rounds: Rounds) => Generator<void, Result>,
    names: ItemNames,
  ) {
    this.pane = pane;
    this.partitions = partitions;
    this.#complete = complete;
    this.#work = tick({ names, gather: (into, parts, fill) => this.#gather(into, parts, fill) });
  }

  /** What it has come to; undefined while it goes on. */
  get end(): { readonly result: Result } | undefined {
    return this.#end;
  }

  /** Whether there is nothing to do before others have said something. */
  get isWaiting(): boolean {
    return this.#isWaiting && this.#complete.length <= this.#round;
  }

  /** @param complete rounds of the pane that are known by now */
  learn(complete: readonly (readonly Uint8Array[])[]): void {
    if (complete.length > this.#complete.length) this.#complete = complete.slice();
  }

  /** Goes on for one slice of work. */
  step(): void {
    if (this.#end !== undefined || this.isWaiting) return;
    const step = this.#work.next();
    if (step.done) this.#end = { result: step.value };
  }

  /** What a partition says in a round; undefined as long as the work is not there. */
  payloadOf(partition: number, round: number): Uint8Array | undefined {
    if (this.#end !== undefined && round > this.#round) return NOTHING;
    return this.#own.get(round)?.get(partition);
  }

  *#gather<Sums extends PartitionSums<Sums>, Part>(
    into: Sums,
    parts: readonly Part[],
    fill: (sums: Sums, part: Part) => Generator<void, void>,
  ): Generator<void, Sums> {
    const { partitions } = this;
    if (parts.length !== partitions.length) {
      throw new RangeError(`${parts.length} parts of ${partitions.length} partitions`);
    }
    const own = new Map<number, Uint8Array>();
    for (const [n, part] of parts.entries()) {
      const sums = into.ofOthers();
      yield* fill(sums, part);
      own.set(partitions[n], sums.encode());
    }
    const round = ++this.#round;
    this.#own.set(round, own);
    // What was said before is in the log.
    this.#own.delete(round - 1);
    while (this.#complete.length <= round) {
      this.#isWaiting = true;
      yield;
    }
    this.#isWaiting = false;
    for (const bytes of this.#complete[round]) into.merge(into.decode(bytes));
    return into;
  }
}
