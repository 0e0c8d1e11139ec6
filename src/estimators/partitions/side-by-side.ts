import type { PartitionSums, Rounds } from './rounds.js';

/** A round that some work waits for. */
interface Asked {
  readonly into: PartitionSums<unknown>;
  readonly parts: readonly unknown[];
  readonly fill: (sums: never, part: never) => Generator<void, void>;
}

const NOTHING = new Uint8Array(0);

/** Sums of several rounds that go as one. */
class JointSums implements PartitionSums<JointSums> {
  /** Undefined where they went with those of another part. */
  readonly all: readonly (PartitionSums<unknown> | undefined)[];

  constructor(all: readonly (PartitionSums<unknown> | undefined)[]) {
    this.all = all;
  }

  ofOthers(): JointSums {
    return new JointSums(this.all.map((own) => own!.ofOthers() as PartitionSums<unknown>));
  }

  merge(others: JointSums): void {
    for (const [n, own] of this.all.entries()) if (others.all[n]) own!.merge(others.all[n]);
  }

  pool(others: JointSums): JointSums | undefined {
    const left = this.all.map(
      (own, n) => own!.pool(others.all[n]) as PartitionSums<unknown> | undefined,
    );
    return left.every((own) => own === undefined) ? undefined : new JointSums(left);
  }

  encode(): Uint8Array {
    const each = this.all.map((own) => own?.encode() ?? NOTHING);
    const to = new Uint8Array(each.reduce((sum, { length }) => sum + 4 + length, 0));
    let at = 0;
    for (const bytes of each) {
      new DataView(to.buffer).setUint32(at, bytes.length);
      to.set(bytes, at + 4);
      at += 4 + bytes.length;
    }
    return to;
  }

  decode(bytes: Uint8Array): JointSums {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const next = (own: PartitionSums<unknown> | undefined) => {
      const length = at + 4 <= bytes.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
      const from = at + 4;
      at = from + length;
      if (at > bytes.length) throw new RangeError('rounds that go together are cut short');
      if (length === 0) return undefined;
      return own!.decode(bytes.subarray(from, at)) as PartitionSums<unknown>;
    };
    const all = this.all.map(next);
    if (at !== bytes.length) throw new RangeError('more rounds go together than are known');
    return new JointSums(all);
  }
}

/** Work that goes on until it waits for a round of its own. */
class Strand<T> {
  asked: Asked | undefined;
  result: T | undefined;
  isDone = false;
  readonly #work: Generator<void, T>;

  /** @param n number of the strand: what one process does for all falls to another one in each. */
  constructor(work: (rounds: Rounds) => Generator<void, T>, { names, does }: Rounds, n: number) {
    const ask = (asked: Asked): void => {
      this.asked = asked;
    };
    const isWaiting = () => this.asked !== undefined;
    this.#work = work({
      ...(names && { names }),
      ...(does && { does: (m: number) => does(m + n) }),
      *gather(into, parts, fill) {
        ask({ into: into as PartitionSums<unknown>, parts, fill: fill as Asked['fill'] });
        while (isWaiting()) yield;
        return into;
      },
    });
  }

  *goOn(): Generator<void, void> {
    this.asked = undefined;
    for (;;) {
      const step = this.#work.next();
      if (step.done) {
        this.result = step.value;
        this.isDone = true;
        return;
      }
      if (this.asked !== undefined) return;
      yield;
    }
  }
}

/**
 * Does work that is independent of each other. Where sums become bytes, rounds that several of them
 * wait for go as one: what each comes to is the same, to the bit, and others are waited for less often.
 */
export function* sideBySide<const Results extends readonly unknown[]>(
  works: { readonly [N in keyof Results]: (rounds: Rounds) => Generator<void, Results[N]> },
  rounds: Rounds,
): Generator<void, Results> {
  if (rounds.names === undefined || works.length < 2) {
    const results: unknown[] = [];
    for (const work of works) results.push(yield* work(rounds));
    return results as unknown as Results;
  }
  const strands = works.map((work, n) => new Strand(work, rounds, n));
  for (let due = strands; due.length > 0; ) {
    for (const strand of due) yield* strand.goOn();
    due = due.filter(({ isDone }) => !isDone);
    const asked = due.map((strand) => strand.asked!);
    if (asked.length > 0) yield* together(asked, rounds);
  }
  return strands.map(({ result }) => result) as unknown as Results;
}

function* together(asked: readonly Asked[], rounds: Rounds): Generator<void, void> {
  const parts = asked[0]!.parts.map((_, p) => p);
  const into = new JointSums(asked.map((each) => each.into));
  yield* rounds.gather(into, parts, function* fill(sums, p) {
    for (const [n, each] of asked.entries()) {
      yield* each.fill(sums.all[n] as never, each.parts[p] as never);
    }
  });
}
