import {
  encodedParts,
  type ItemNames,
  mergeEncoded,
  type Rounds,
} from '../../estimators/partitions/rounds.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { ClosedPane } from '../closed-pane.js';
import type { LearnedState } from '../learned.js';
import type { Monitor } from '../monitor.js';
import type { Fold, Turn } from './fold.js';
import { ItemTotals } from './item-totals.js';
import { type PaneFacts, readFacts, writeFacts } from './pane-facts.js';
import type { Cut, Part, SumsRecord } from './record.js';

const SHAPE = 0x636c_6f73;
const MOST_BYTES = 1 << 28;
const NOTHING = new Uint8Array(0);

/** What a hello says beside the newest pane. */
export interface Introduction {
  readonly learned: LearnedState;
  /** What numbers depend on beside the log: workers that differ in it have no numbers together. */
  readonly rules: string;
}

export function introduction(payload: Uint8Array): Introduction {
  const { learned, rules } = JSON.parse(new TextDecoder().decode(payload)) as Introduction;
  // JSON has no −Infinity, which it is before the first pane.
  const ticked = learned.ticked ?? Number.NEGATIVE_INFINITY;
  return { rules, learned: { ...learned, ticked } };
}

/** How a worker takes part in a pane. */
export interface OwnPart {
  /** How far a partition is read. */
  cutOf(partition: number): Cut;
  /** Through which pane from this one on nothing else is in a partition. */
  throughOf(partition: number, pane: number): number;
}

/**
 * The ticks of a worker that has some of the partitions, under one generation of the group: what it
 * says goes to the log, and what all have said comes from there. Without I/O and clock.
 */
export class GroupTick {
  /** Whether the last step was waiting for what others say. */
  isWaiting = false;
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

  /** Says how far this worker has come, for each of its partitions. */
  hello(rules = ''): void {
    const said: Introduction = { learned: this.#learned, rules };
    const payload = new TextEncoder().encode(JSON.stringify(said));
    for (const partition of this.#own) {
      this.#say({ kind: 'hello', ...this.#sender(partition), pane: this.#concluded, payload });
    }
  }

  /** Takes in what a record of the log has brought about under this generation. */
  heed(turn: Turn): void {
    if (this.#fold.generation !== this.#generation) return;
    const { partitions } = this.#monitor;
    if (turn.kind === 'opened') {
      const { base } = turn;
      this.#concluded = base.pane;
      this.#learned = introduction(base.payload).learned;
      partitions.learned.resume(this.#learned);
      this.#totals.restart();
      this.#payloads = [];
    } else if (turn.kind === 'round') this.#payloads[turn.round] = turn.payloads;
    else if (turn.kind === 'passed') {
      this.#concluded = turn.through;
      // What was said of item counts with it is in nobody's totals.
      this.#totals.restart();
      for (const p of this.#own) partitions.pass(p, turn.through);
    } else {
      this.#concluded = turn.pane;
      this.#learned = partitions.learned.state;
      this.#payloads = [];
    }
  }

  /**
   * Closes the pane under way and ticks together with all others. Yields while their sums have not
   * come. What it gives holds as soon as the pane is concluded, to which `finish` belongs.
   *
   * @returns undefined where all have passed the pane by
   */
  *close(pane: number, part: OwnPart): Generator<void, ClosedPane | undefined> {
    const { models } = this.#monitor.partitions.ids;
    // Before the first pane there is nothing to be closed.
    const isFirst = pane === Number.NEGATIVE_INFINITY;
    const facts = isFirst ? undefined : yield* this.#monitor.closeEach(pane, part.cutOf);
    for (const p of this.#own) {
      const { newest } = this.#monitor.partitions.of(p);
      const cut = newest?.pane === pane ? newest.cut : part.cutOf(p);
      const closed = { cut, through: part.throughOf(p, pane) };
      this.#part(p, pane, 0, facts ? this.#written(p, facts.get(p)!) : NOTHING, closed);
    }
    const payloads = yield* this.#complete(0, pane);
    if (payloads === undefined) return undefined;
    const readers: NumberReader[] = [];
    for (const payload of payloads) readers.push(new NumberReader(payload, SHAPE, MOST_BYTES));
    const all = readers.map((from) => readFacts(from, models));
    this.#totals.take(readers.filter((from) => from.number(0) === 1));
    for (const reader of readers) reader.finish();
    const { popularity, names } = this.#totals;
    return yield* this.#monitor.tickTogether(pane, all, popularity, this.#rounds(pane, names));
  }

  /** Has nothing more to say of a pane: when that holds of all, it is concluded. */
  finish(pane: number): void {
    const last = this.#payloads.length;
    for (const partition of this.#own) this.#part(partition, pane, last, NOTHING);
  }

  /** The counts of all of its partitions stand with the first: integers add up exactly. */
  #written(partition: number, facts: PaneFacts): Uint8Array {
    const to = new NumberWriter();
    writeFacts(to, facts, this.#monitor.partitions.ids.models);
    const isFirst = partition === this.#own[0];
    to.number(isFirst ? 1 : 0);
    if (isFirst) this.#totals.write(to);
    return to.seal(SHAPE);
  }

  #rounds(pane: number, names: ItemNames): Rounds {
    const own = this.#own;
    const part = this.#part.bind(this);
    const { partitions } = this.#fold;
    const complete = (round: number) => this.#complete(round, pane);
    let next = 1;
    return {
      names,
      does: (n) => own.includes(n % partitions),
      *gather(into, parts, fill) {
        if (parts.length !== own.length) throw new RangeError('a round takes part of a worker');
        const round = next++;
        const payloads = yield* encodedParts(into, parts, fill);
        for (const [n, payload] of payloads.entries()) part(own[n], pane, round, payload);
        return mergeEncoded(into, (yield* complete(round)) ?? []);
      },
    };
  }

  /** What all have said in a round; undefined where they have passed the pane by instead. */
  *#complete(round: number, pane: number): Generator<void, readonly Uint8Array[] | undefined> {
    while (this.#payloads[round] === undefined) {
      if (this.#concluded >= pane && this.#concluded !== Number.NEGATIVE_INFINITY) return undefined;
      this.isWaiting = true;
      yield;
      this.isWaiting = false;
    }
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
