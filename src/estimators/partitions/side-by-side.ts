import type { PartitionSums, Rounds } from './rounds.js';

/** A round that some work waits for. */
interface Asked {
  readonly into: PartitionSums<unknown>;
  readonly parts: readonly unknown[];
  readonly fill: (sums: never, part: never) => Generator<void, void>;
}

/** Sums of several rounds that go as one. */
class JointSums implements PartitionSums<JointSums> {
  readonly all: readonly PartitionSums<unknown>[];

  constructor(all: readonly PartitionSums<unknown>[]) {
    this.all = all;
  }

  ofOthers(): JointSums {
    return new JointSums(this.all.map((own) => own.ofOthers() as PartitionSums<unknown>));
  }

  merge(others: JointSums): void {
    for (const [n, own] of this.all.entries()) own.merge(others.all[n]);
  }

  encode(): Uint8Array {
    const each = this.all.map((own) => own.encode());
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
    const next = (own: PartitionSums<unknown>) => {
      const length = at + 4 <= bytes.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
      const from = at + 4;
      at = from + length;
      if (at > bytes.length) throw new RangeError('rounds that go together are cut short');
      return own.decode(bytes.subarray(from, at)) as PartitionSums<unknown>;
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

  constructor(work: (rounds: Rounds) => Generator<void, T>, { names }: Rounds) {
    const ask = (asked: Asked): void => {
      this.asked = asked;
    };
    const isWaiting = () => this.asked !== undefined;
    this.#work = work({
      ...(names && { names }),
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
export function* sideBySide<T>(
  works: readonly ((rounds: Rounds) => Generator<void, T>)[],
  rounds: Rounds,
): Generator<void, T[]> {
  if (rounds.names === undefined || works.length < 2) {
    const results: T[] = [];
    for (const work of works) results.push(yield* work(rounds));
    return results;
  }
  const strands = works.map((work) => new Strand(work, rounds));
  for (let due = strands; due.length > 0; ) {
    for (const strand of due) yield* strand.goOn();
    due = due.filter(({ isDone }) => !isDone);
    const asked = due.map((strand) => strand.asked!);
    if (asked.length > 0) yield* together(asked, rounds);
  }
  return strands.map(({ result }) => result!);
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
