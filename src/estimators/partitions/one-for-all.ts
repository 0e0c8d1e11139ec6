import type { NumberCodec } from '../../state/binary/numbers.js';
import { passText } from './item-sums.js';
import { NumberedSums, type PartitionSums, type Rounds } from './rounds.js';

const SHAPE = 0x6f6e_6520;

/** Sums that stay bytes until somebody asks what they come to. */
class UnreadSums<Sums extends PartitionSums<Sums>> implements PartitionSums<UnreadSums<Sums>> {
  readonly #none: Sums;
  #own: Sums | undefined;
  readonly #bytes: Uint8Array[] = [];

  constructor(none: Sums, own?: Sums) {
    this.#none = none;
    this.#own = own;
  }

  /** Of the users of this process. */
  get own(): Sums {
    this.#own ??= this.#none.ofOthers();
    return this.#own;
  }

  /** All that was merged. */
  read(): Sums {
    for (const bytes of this.#bytes.splice(0)) this.own.merge(this.own.decode(bytes));
    return this.own;
  }

  ofOthers(): UnreadSums<Sums> {
    return new UnreadSums(this.#none);
  }

  merge(others: UnreadSums<Sums>): void {
    this.#bytes.push(...others.#bytes);
  }

  pool({ own }: UnreadSums<Sums>): UnreadSums<Sums> | undefined {
    const left = this.own.pool(own);
    return left && new UnreadSums(this.#none, left);
  }

  encode(): Uint8Array {
    return this.read().encode();
  }

  decode(bytes: Uint8Array): UnreadSums<Sums> {
    const sums = this.ofOthers();
    sums.#bytes.push(bytes);
    return sums;
  }
}

/**
 * Gathers sums that one process reads for all.
 *
 * @returns what gives them, where somebody has to know them.
 */
export function* gatherUnread<Sums extends PartitionSums<Sums>, Part>(
  none: Sums,
  parts: readonly Part[],
  fill: (sums: Sums, part: Part) => Generator<void, void>,
  rounds: Rounds,
): Generator<void, () => Sums> {
  if (rounds.names === undefined) {
    const sums = yield* rounds.gather(none, parts, fill);
    return () => sums;
  }
  const unread = yield* rounds.gather(new UnreadSums(none), parts, ({ own }, part) =>
    fill(own, part),
  );
  return () => unread.read();
}

/** What one process says to all. */
class SaidText extends NumberedSums<SaidText> {
  text = '';

  constructor() {
    super(SHAPE, 'any');
  }

  ofOthers(): SaidText {
    return new SaidText();
  }

  merge({ text }: SaidText): void {
    this.text += text;
  }

  pass(through: NumberCodec): void {
    this.text = passText(through, this.text);
  }
}

/**
 * What would come to the same in every process is computed by one of them, which says it to all: one
 * round. Work that runs side by side with other work falls to another process for each.
 *
 * @param compute yields what JSON can say.
 */
export function* oneForAll<Result, Part>(
  parts: readonly Part[],
  compute: () => Generator<void, Result>,
  rounds: Rounds,
): Generator<void, Result> {
  if (rounds.does === undefined) return yield* compute();
  const said = rounds.does(0) ? JSON.stringify(yield* compute()) : '';
  const { text } = yield* rounds.gather(new SaidText(), parts, function* say(own, part) {
    if (part === parts[0]) own.text = said;
    yield;
  });
  return JSON.parse(text) as Result;
}
