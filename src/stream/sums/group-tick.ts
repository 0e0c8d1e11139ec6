import type { ItemNames, Rounds } from '../../estimators/partitions/rounds.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { ClosedPane } from '../closed-pane.js';
import type { LearnedState } from '../learned.js';
import type { Monitor } from '../monitor.js';
import type { Fold, Turn } from './fold.js';
import { ItemTotals } from './item-totals.js';
import { readFacts, writeFacts } from './pane-facts.js';
import type { Cut, Part, SumsRecord } from './record.js';

const SHAPE = 0x636c_6f73;
const MOST_BYTES = 1 << 28;
const NOTHING = new Uint8Array(0);

/**
 * The ticks of a worker that has some of the partitions, under one generation of the group: what it
 * says goes to the log, and what all have said comes from there. Without I/O and clock.
 */
export class GroupTick {
  readonly #monitor: Monitor;
  readonly #fold: Fold;
  readonly #generation: number;
  readonly #own: readonly number[];
  readonly #say: (record: SumsRecord) => void;
  readonly #totals: ItemTotals;
  /** Of the rounds of the pane under way that are complete. */
  #payloads: (readonly Uint8Array[])[] = [];
  /** The newest pane that is concluded, and what was learned through it. */
  #concluded: number;
  #learned: LearnedState;

  /**
   * @param own numbers of its partitions, ascending
   * @param concluded the newest pane that this worker knows the end of; −Infinity before the first
   */
  constructor(
    monitor: Monitor,
    fold: Fold,
    generation: number,
    own: readonly number[],
    concluded: number,
    say: (record: SumsRecord) => void,
  ) {
    this.#monitor = monitor;
    this.#fold = fold;
    this.#generation = generation;
    this.#own = own;
    this.#concluded = concluded;
    this.#say = say;
    const { partitions } = monitor;
    this.#learned = partitions.learned.state;
    this.#totals = new ItemTotals(partitions.popularity, partitions.ids);
  }

  get concluded(): number {
    return this.#concluded;
  }

  get learned(): LearnedState {
    return this.#learned;
  }

  /** Says how far this worker has come, for each of its partitions that has not been heard. */
  hello(): void {
    const payload = new TextEncoder().encode(JSON.stringify(this.#learned));
    for (const partition of this.#own) {
      this.#say({ kind: 'hello', ...this.#sender(partition), pane: this.#concluded, payload });
    }
  }

  /** Takes in what a record of the log has brought about under this generation. */
  heed(turn: Turn): void {
    if (this.#fold.generation !== this.#generation) return;
    if (turn.kind === 'opened') {
      const { base } = turn;
      this.#concluded = base.pane;
      const learned = JSON.parse(new TextDecoder().decode(base.payload)) as LearnedState;
      // JSON has no −Infinity, which it is before the first pane.
      this.#learned = { ...learned, ticked: base.pane };
      this.#monitor.partitions.learned.resume(this.#learned);
      this.#totals.restart();
      this.#payloads = [];
    } else if (turn.kind === 'round') this.#payloads[turn.round] = turn.payloads;
    else if (turn.kind === 'passed') this.#concluded = turn.through;
    else {
      this.#concluded = turn.pane;
      this.#learned = this.#monitor.partitions.learned.state;
      this.#payloads = [];
    }
  }

  /**
   * Closes the pane under way and ticks together with all others. Yields while their sums have not
   * come. What it gives holds as soon as the pane is concluded.
   *
   * @param cutOf where a partition is read to
   */
  *close(pane: number, cutOf: (partition: number) => Cut): Generator<void, ClosedPane> {
    const { models } = this.#monitor.partitions.ids;
    const facts = yield* this.#monitor.closeEach(pane);
    for (const partition of this.#own) {
      const to = new NumberWriter();
      writeFacts(to, facts.get(partition)!, models);
      // The counts of all of its partitions stand with the first: integers add up exactly.
      const isFirst = partition === this.#own[0];
      to.number(isFirst ? 1 : 0);
      if (isFirst) this.#totals.write(to);
      const closed = { cut: cutOf(partition), through: pane - 1 };
      this.#part(partition, pane, 0, to.seal(SHAPE), closed);
    }
    const readers: NumberReader[] = [];
    for (const payload of yield* this.#complete(0)) {
      readers.push(new NumberReader(payload, SHAPE, MOST_BYTES));
    }
    const all = readers.map((from) => readFacts(from, models));
    this.#totals.take(readers.filter((from) => from.number(0) === 1));
    for (const reader of readers) reader.finish();
    const rounds = this.#rounds(pane, this.#totals.names);
    const closed = yield* this.#monitor.tickTogether(
      ...([pane, all, this.#totals.popularity, rounds] as const),
    );
    const last = this.#payloads.length;
    for (const partition of this.#own) this.#part(partition, pane, last, NOTHING);
    return closed;
  }

  #rounds(pane: number, names: ItemNames): Rounds {
    const [own, part] = [this.#own, this.#part.bind(this)];
    const complete = (round: number) => this.#complete(round);
    let next = 1;
    return {
      names,
      *gather(into, parts, fill) {
        if (parts.length !== own.length) throw new RangeError('a round takes part of a worker');
        const round = next++;
        for (const [n, each] of parts.entries()) {
          const sums = into.ofOthers();
          yield* fill(sums, each);
          part(own[n], pane, round, sums.encode());
        }
        for (const payload of yield* complete(round)) into.merge(into.decode(payload));
        return into;
      },
    };
  }

  *#complete(round: number): Generator<void, readonly Uint8Array[]> {
    while (this.#payloads[round] === undefined) yield;
    return this.#payloads[round];
  }

  #part(
    partition: number,
    pane: number,
    round: number,
    payload: Uint8Array,
    closed?: Part['closed'],
  ): void {
    const said = { kind: 'part' as const, ...this.#sender(partition), pane, round, payload };
    this.#say(closed === undefined ? said : { ...said, closed });
  }

  #sender(partition: number) {
    const { partitions } = this.#fold;
    return { generation: this.#generation, partition, partitions };
  }
}
