import type { Cut, Hello, SumsRecord } from './record.js';

/** Where the log of sums is to be read on, and what was under way there. */
export interface Place {
  readonly offset: number;
  readonly generation: number;
  readonly phase: 'none' | 'hello' | 'rounds';
  /** The pane whose round 0 comes next, where the phase is `rounds`. */
  readonly pane: number;
}

interface NotedCut {
  readonly cut: Cut;
  /** In which it was said. */
  readonly generation: number;
}

/** What a record has brought about. */
export type Turn =
  /** A generation has begun: all go on from the newest pane that any of its workers knows. */
  | { readonly kind: 'opened'; readonly base: Hello; readonly hellos: readonly Hello[] }
  /** All partitions have taken part in a round; payloads stand in their order. */
  | { readonly kind: 'round'; readonly round: number; readonly payloads: readonly Uint8Array[] }
  /** Nothing is in the panes through this one, which all pass by. */
  | { readonly kind: 'passed'; readonly through: number }
  /** A pane is concluded. */
  | { readonly kind: 'concluded'; readonly pane: number };

/**
 * What the log of sums says to a reader who has come as far. All come to the same, since Kafka
 * gives one order: the first record of a partition that fits counts, and only under the newest
 * generation of the group. Without I/O and clock.
 *
 * A generation begins with a hello of each partition. Then every pane has its rounds: round 0 closes
 * it, each round after that gathers sums, and the first one in which nobody has anything to say
 * concludes it.
 */
export class Fold {
  readonly partitions: number;
  #generation: number;
  #phase: Place['phase'];
  #pane: number;
  #round = 0;
  /** The record of each partition that counts in what is under way. */
  #got = new Map<number, SumsRecord>();
  /** By pane and partition, for the one that takes the partition over. */
  readonly #cuts = new Map<number, Map<number, NotedCut>>();
  /** Through which pane nothing lay, by the pane that was passed first. */
  readonly #passed = new Map<number, number>();
  /** Before the first record of each pane that has one, for checkpoints of the panes before. */
  readonly #begins = new Map<number, Place>();
  /** What was said of cuts in generations before this one is void. */
  #valid = 0;

  /** @param partitions how many there are @param from where reading begins */
  constructor(partitions: number, from: Place) {
    this.partitions = partitions;
    this.#generation = from.generation;
    this.#phase = from.phase;
    this.#pane = from.pane;
  }

  get generation(): number {
    return this.#generation;
  }

  get phase(): Place['phase'] {
    return this.#phase;
  }

  /** The pane that is under way. */
  get pane(): number {
    return this.#pane;
  }

  /** The round of that pane that is under way. */
  get round(): number {
    return this.#round;
  }

  /** Whether the record of a partition is still missing in what is under way. */
  lacks(partition: number): boolean {
    return !this.#got.has(partition);
  }

  /** Partitions whose record is missing. */
  get missing(): readonly number[] {
    return Array.from({ length: this.partitions }, (_, p) => p).filter((p) => this.lacks(p));
  }

  /** Where a partition was closed by the record that counted, also in a generation since; undefined if unknown. */
  cutOf(pane: number, partition: number): Cut | undefined {
    return this.#cuts.get(pane)?.get(partition)?.cut;
  }

  /** The next pane after one that a partition was closed in at a place that is known; with that place. */
  nextCut(
    after: number,
    partition: number,
  ): { readonly pane: number; readonly cut: Cut } | undefined {
    let pane = Number.POSITIVE_INFINITY;
    for (const [known, cuts] of this.#cuts) {
      if (known > after && known < pane && cuts.has(partition)) pane = known;
    }
    const cut = this.cutOf(pane, partition);
    return cut && { pane, cut };
  }

  /** Through which pane all have passed by from one on; that pane itself if they have not. */
  passedFrom(pane: number): number {
    return this.#passed.get(pane) ?? pane;
  }

  /** Whether anybody has closed the pane that is under way. */
  get isBegun(): boolean {
    return this.#begins.has(this.#pane);
  }

  /**
   * Where a checkpoint of all panes through one reads on: not behind the cuts of later panes, which
   * the one that starts from it has to learn.
   *
   * @param after where the log stood when that pane was concluded
   */
  headOf(pane: number, after: Place): Place {
    let head = after;
    for (const [later, begin] of this.#begins) {
      if (later > pane && begin.offset < head.offset) head = begin;
    }
    return head;
  }

  /**
   * Drops what was said of cuts in generations before one: a process has had all partitions since,
   * which said nothing, and closed their panes elsewhere.
   */
  voidBefore(generation: number): void {
    this.#valid = Math.max(this.#valid, generation);
    for (const [pane, cuts] of this.#cuts) {
      for (const [p, noted] of cuts) if (noted.generation < generation) cuts.delete(p);
      if (cuts.size === 0) this.#passed.delete(pane);
    }
    for (const [pane, begin] of this.#begins) {
      if (begin.generation < generation) this.#begins.delete(pane);
    }
  }

  /** Drops what is known of panes through one: every checkpoint stands there or later. */
  forget(through: number): void {
    for (const kept of [this.#cuts, this.#begins, this.#passed]) {
      for (const pane of kept.keys()) if (pane <= through) kept.delete(pane);
    }
  }

  /** Takes the record at an offset. */
  take(record: SumsRecord, offset: number): Turn | undefined {
    if (record.generation < this.#generation || record.partitions !== this.partitions) {
      return undefined;
    }
    if (record.generation > this.#generation) {
      this.#generation = record.generation;
      this.#begin('hello', this.#pane);
    }
    if (record.kind !== (this.#phase === 'rounds' ? 'part' : this.#phase)) return undefined;
    if (record.kind === 'part' && (record.pane !== this.#pane || record.round !== this.#round)) {
      return undefined;
    }
    if (this.#got.has(record.partition)) return undefined;
    this.#got.set(record.partition, record);
    if (record.kind === 'part' && record.closed)
      this.#note(record.partition, record.closed.cut, offset);
    return this.#got.size === this.partitions ? this.#complete() : undefined;
  }

  /** What one partition says of where it closed counts from now on, whatever becomes of the round. */
  #note(partition: number, cut: Cut, offset: number): void {
    const pane = this.#pane;
    const generation = this.#generation;
    if (generation < this.#valid) return;
    const cuts = this.#cuts.get(pane) ?? new Map<number, NotedCut>();
    this.#cuts.set(pane, cuts.set(partition, { cut, generation }));
    if (this.#begins.has(pane)) return;
    this.#begins.set(pane, { offset, generation, phase: 'rounds', pane });
  }

  #complete(): Turn {
    const records = Array.from({ length: this.partitions }, (_, p) => this.#got.get(p)!);
    if (this.#phase === 'hello') {
      const hellos = records as Hello[];
      const newest = Math.max(...hellos.map(({ pane }) => pane));
      const base = hellos.find(({ pane }) => pane === newest)!;
      this.#begin('rounds', newest + 1);
      return { kind: 'opened', base, hellos };
    }
    const pane = this.#pane;
    if (this.#round === 0) {
      const closed = records.map(
        (record) => (record.kind === 'part' ? record.closed! : undefined)!,
      );
      const through = Math.min(...closed.map((each) => each.through));
      if (through >= pane) return this.#pass(through);
    } else if (records.every(({ payload }) => payload.length === 0)) {
      this.#begin('rounds', pane + 1);
      return { kind: 'concluded', pane };
    }
    this.#got = new Map();
    return { kind: 'round', round: this.#round++, payloads: records.map(({ payload }) => payload) };
  }

  /** The cuts that closed the pane are those of all that are passed with it. */
  #pass(through: number): Turn {
    const cuts = this.#cuts.get(this.#pane);
    if (cuts !== undefined) {
      this.#passed.set(this.#pane, through);
      this.#cuts.set(through, cuts);
    }
    this.#begin('rounds', through + 1);
    return { kind: 'passed', through };
  }

  #begin(phase: Place['phase'], pane: number): void {
    this.#phase = phase;
    this.#pane = pane;
    this.#round = 0;
    this.#got = new Map();
  }
}
