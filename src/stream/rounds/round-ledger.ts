import { CutTable, isSameCut } from './cut-table.js';
import type {
  Base,
  Claim,
  Closing,
  Conclusion,
  Cut,
  LedgerNote,
  PaneCut,
  Restart,
  Saved,
  Sums,
} from './round-record.js';
import { decodeRecord } from './round-record.js';

const NEVER = Number.NEGATIVE_INFINITY;

/** What a record has changed; undefined where it changed nothing that concerns a worker. */
export type Change =
  /** Of no format that is known here. */
  | { readonly kind: 'malformed' }
  /** A worker that computes otherwise has claimed a partition, in vain. */
  | { readonly kind: 'foreign'; readonly algorithm: string }
  /** Partitions are claimed again; the cuts are those that the log has named so far. */
  | { readonly kind: 'restarted'; readonly cuts: readonly PaneCut[] }
  /** All bases are there: the group goes on from them. */
  | { readonly kind: 'opened'; readonly pane: number; readonly bases: readonly Uint8Array[] }
  /** A round is complete; its payloads by partition. */
  | {
      readonly kind: 'round';
      readonly pane: number;
      readonly round: number;
      readonly payloads: readonly Uint8Array[];
    }
  | { readonly kind: 'concluded'; readonly concluded: Concluded };

/** A pane that all partitions have had all rounds of. */
export interface Concluded {
  readonly pane: number;
  /** By round, then by partition; the first round alone where no partition had anything. */
  readonly rounds: readonly (readonly Uint8Array[])[];
  /** By partition. */
  readonly cuts: readonly Cut[];
  readonly isEmpty: boolean;
}

/**
 * Whether a pane has no round after this one: a function of what all workers have read.
 *
 * @param rounds payloads by round, then by partition
 */
export type IsLast = (pane: number, rounds: readonly (readonly Uint8Array[])[]) => boolean;

/**
 * What a log of rounds says: a fold over its records, the same in every worker that has read as far.
 *
 * - A claim takes a partition over from the claim that it names, so one that comes twice or late
 *   takes nothing.
 * - Of a (pane, round, partition) the first record under the claim that stands then counts.
 * - Panes follow each other: a pane is closed by all partitions, then come its later rounds one by
 *   one, each when the one before is complete; then it is concluded.
 * - A log that has just begun *gathers*: each partition says all that it has, at the newest pane that
 *   any of them had concluded; from there it goes on.
 * - A worker that knows a pane to be concluded which the log does not say has seen a log that was
 *   lost, or cut short. It *restarts* this one: it gathers again, from no earlier pane than that. As
 *   claims do, a restart names the one that it ends, so that of several that see a loss one is
 *   heard, and none that comes twice or late.
 */
export class RoundLedger {
  readonly #isLast: IsLast;
  #position: string | null = null;
  /** Its beginning could not be read: nothing before a restart that ends whatever stood does. */
  #isBlind = false;
  #epoch = '';
  #algorithm: string | undefined;
  #claims = new Map<number, string>();
  /** Claimed, and not given up by all. */
  #isHeld = false;
  #count = 0;
  #bases: Map<number, Base> | undefined = new Map();
  /** The newest pane that restarts say was concluded. */
  #told = NEVER;
  #concluded = NEVER;
  #pane = NEVER;
  #members = 0;
  #closings = new Map<number, Closing>();
  #complete: (readonly Uint8Array[])[] = [];
  #sums = new Map<number, Sums>();
  /** By pane, then by partition: of all panes that a worker may have to close again. */
  #cuts = new CutTable();
  #conclusions: Conclusion[] = [];
  /** By partition the panes of the newest checkpoint and of the one before. */
  #saved = new Map<number, readonly [number, number | null]>();
  #note: LedgerNote | undefined;

  constructor(isLast: IsLast, note?: LedgerNote) {
    this.#isLast = isLast;
    if (note !== undefined) this.#resume(note);
  }

  /** Where to read on; null: at the very beginning. */
  get position(): string | null {
    return this.#position;
  }

  /** Nonce of the restart that stands; empty before the first. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Whether it cannot be read before somebody restarts it, whatever it says. */
  get isBlind(): boolean {
    return this.#isBlind;
  }

  /** undefined until somebody has claimed a partition. */
  get algorithm(): string | undefined {
    return this.#algorithm;
  }

  /** Nobody has a partition any more: the next to claim one says what all compute by. */
  get isFree(): boolean {
    return !this.#isHeld;
  }

  /** Whether a log that has just begun waits for what partitions have. */
  get isGathering(): boolean {
    return this.#bases !== undefined;
  }

  /** The newest pane that anybody has brought along: all partitions have to come to it. */
  get target(): number {
    const panes = [...(this.#bases?.values() ?? [])].map(({ pane }) => pane);
    return Math.max(this.#told, ...panes);
  }

  /** The newest pane of which it says that it was concluded. */
  get known(): number {
    return this.isGathering ? this.target : this.#concluded;
  }

  get concluded(): number {
    return this.#concluded;
  }

  /** The pane that is to be closed or summed up. */
  get pane(): number {
    return this.#pane;
  }

  /** 0 while it is to be closed by some partition. */
  get round(): number {
    return this.#complete.length;
  }

  /** Payloads of the complete rounds of the pane, by round and partition. */
  get rounds(): readonly (readonly Uint8Array[])[] {
    return this.#complete;
  }

  /** How many partitions the pane has. */
  get members(): number {
    return this.isGathering ? this.#count : this.#members;
  }

  /** As it was when a pane was last concluded; undefined before the first. */
  get note(): LedgerNote | undefined {
    return this.#note;
  }

  /** Nonce of the claim that stands. */
  claimOf(partition: number): string | undefined {
    return this.#claims.get(partition);
  }

  /** Whether the partition's record of the round that is open is there. */
  has(partition: number): boolean {
    if (this.#bases) return this.#bases.get(partition)?.pane === this.target;
    return this.round === 0 ? this.#closings.has(partition) : this.#sums.has(partition);
  }

  base(partition: number): Base | undefined {
    return this.#bases?.get(partition);
  }

  /** Some partition has closed the pane, or brought something along. */
  get isBegun(): boolean {
    if (this.#bases) return [...this.#bases.values()].some(({ next }) => next !== null);
    return this.#closings.size > 0 || this.round > 0;
  }

  /** Where a pane of a partition was closed, if that is known. */
  cut(pane: number, partition: number): PaneCut | undefined {
    return this.#cuts.at(pane, partition);
  }

  /** The first pane after one in which a partition was closed, if that is known. */
  nextCut(partition: number, after: number, through: number): PaneCut | undefined {
    return this.#cuts.next(partition, after, through);
  }

  get cuts(): readonly PaneCut[] {
    return this.#cuts.all;
  }

  /** The oldest pane that a checkpoint is of that may still be loaded. */
  get floor(): number {
    const panes = Array.from(
      { length: Math.max(1, this.#count) },
      (_, p) => this.#saved.get(p)?.[1],
    );
    return Math.min(...panes.map((pane) => pane ?? NEVER));
  }

  /**
   * Up to where nobody needs the log: a worker that takes a partition over loads a checkpoint, the
   * one before the newest at worst, and reads on from the pane that it is of. undefined: all of it.
   */
  get trimmable(): string | undefined {
    const { floor } = this;
    if (floor === NEVER) return undefined;
    return this.#conclusions.findLast(({ pane }) => pane <= floor)?.position;
  }

  /** Forgets all: what follows the position follows on nothing that is known. */
  readBlindly(from: string): void {
    this.#reset();
    this.#isBlind = true;
    this.#position = from;
  }

  /** Reads the next record of the log. */
  take(position: string, bytes: Uint8Array): Change | undefined {
    this.#position = position;
    const record = decodeRecord(bytes);
    if (record === undefined) return { kind: 'malformed' };
    if (record.kind === 'restart') return this.#restart(record);
    if (this.#isBlind) return undefined;
    if (record.kind === 'claim') return this.#claim(record);
    if (!this.isValid(record)) return undefined;
    switch (record.kind) {
      case 'release':
        this.#claims.delete(record.partition);
        this.#isHeld = this.#claims.size > 0;
        return undefined;
      case 'saved':
        this.#save(record);
        return undefined;
      case 'base':
        this.#bases!.set(record.partition, record);
        for (const each of record.cuts) this.#cuts.add(each);
        return this.#gathered();
      case 'closing':
        this.#closings.set(record.partition, record);
        this.#cuts.add({ ...placeOf(record), isConcluded: false });
        return this.#closed();
      case 'sums':
        this.#sums.set(record.partition, record);
        return this.#summed();
    }
  }

  /** Whether a record counts: it comes under the claim that stands, in its turn, and first. */
  protected isValid(record: Exclude<ReturnType<typeof decodeRecord>, undefined>): boolean {
    if (record.kind === 'claim' || record.kind === 'restart') return true;
    const { partition, nonce } = record;
    if (this.#claims.get(partition) !== nonce) return false;
    switch (record.kind) {
      case 'base': {
        const known = this.#bases?.get(partition);
        if (this.#bases === undefined) return false;
        const isLater = known === undefined || record.pane > known.pane;
        return isLater || (record.pane === known.pane && known.next === null);
      }
      case 'closing': {
        if (!this.isDue(record, 0) || this.#closings.has(partition)) return false;
        const known = this.cut(record.pane, partition);
        return known === undefined || isSameCut(known.cut, record.cut);
      }
      case 'sums':
        return this.isDue(record, record.round) && !this.#sums.has(partition);
      case 'saved':
        return record.pane <= this.#concluded;
      default:
        return true;
    }
  }

  /** Whether the round that is open is this one. */
  protected isDue({ pane, partition }: Closing | Sums, round: number): boolean {
    const isOpen = this.#bases === undefined && partition < this.#members;
    return isOpen && pane === this.#pane && round === this.round;
  }

  #restart({ nonce, over, pane, cuts }: Restart): Change | undefined {
    if (over === null) {
      const known = this.cuts;
      this.#reset();
      this.#tell(nonce, pane, cuts);
      return { kind: 'restarted', cuts: known };
    }
    if (this.#isBlind || over !== this.#epoch) return undefined;
    const { isGathering } = this;
    // What is gathered stays: it is only to be brought to a later pane.
    if (!isGathering) this.#regather();
    this.#tell(nonce, pane, cuts);
    return isGathering ? undefined : { kind: 'restarted', cuts: this.cuts };
  }

  #tell(epoch: string, pane: number, cuts: readonly PaneCut[]): void {
    this.#epoch = epoch;
    this.#told = Math.max(this.#told, pane);
    for (const each of cuts) this.#cuts.add(each);
  }

  /** Claims end, so that nothing that was said under them comes late; what was concluded stays so. */
  #regather(): void {
    this.#told = this.#concluded;
    this.#claims = new Map();
    this.#bases = new Map();
    this.#members = 0;
    this.#closings = new Map();
    this.#complete = [];
    this.#sums = new Map();
  }

  #claim(claim: Claim): Change | undefined {
    const { partition, nonce, over, count, algorithm } = claim;
    // When all have stopped, the next may compute otherwise; what was summed up so far was not.
    const isFree = this.isFree && this.#algorithm !== algorithm;
    const isChange = isFree && this.#algorithm !== undefined;
    const { cuts } = this;
    if (isChange) this.#reset();
    if (isFree) this.#algorithm = algorithm;
    if (algorithm !== this.#algorithm) return { kind: 'foreign', algorithm };
    this.#isHeld = true;
    if ((this.#claims.get(partition) ?? '') === over) {
      this.#claims.set(partition, nonce);
      this.#count = Math.max(this.#count, count);
    }
    return isChange ? { kind: 'restarted', cuts } : undefined;
  }

  #gathered(): Change | undefined {
    const bases = Array.from({ length: this.#count }, (_, p) => this.#bases!.get(p));
    const { target } = this;
    if (!bases.every((base) => base?.pane === target)) return undefined;
    const nexts = bases.map((base) => base!.next);
    // Before the first event of all it is not known which pane is first.
    if (target === NEVER && nexts.every((next) => next === null)) return undefined;
    this.#bases = undefined;
    this.#conclude(target, nexts);
    return { kind: 'opened', pane: target, bases: bases.map((base) => base!.payload) };
  }

  #closed(): Change | undefined {
    if (this.#closings.size < this.#members) return undefined;
    const closings = this.#byPartition(this.#closings);
    const isEmpty = closings.every((each) => each.isEmpty);
    return this.#completed(
      closings.map(({ payload }) => payload),
      isEmpty,
    );
  }

  #summed(): Change | undefined {
    if (this.#sums.size < this.#members) return undefined;
    const payloads = this.#byPartition(this.#sums).map(({ payload }) => payload);
    this.#sums = new Map();
    return this.#completed(payloads, false);
  }

  #completed(payloads: readonly Uint8Array[], isEmpty: boolean): Change {
    const [pane, round] = [this.#pane, this.round];
    this.#complete.push(payloads);
    if (!isEmpty && !this.#isLast(pane, this.#complete)) {
      return { kind: 'round', pane, round, payloads };
    }
    const closings = this.#byPartition(this.#closings);
    const rounds = this.#complete;
    const cuts = closings.map(({ cut }) => cut);
    this.#conclude(
      pane,
      closings.map(({ next }) => next),
    );
    return { kind: 'concluded', concluded: { pane, rounds, cuts, isEmpty } };
  }

  #conclude(pane: number, nexts: readonly (number | null)[]): void {
    const known = nexts.filter((next) => next !== null);
    this.#concluded = pane;
    this.#cuts.conclude(pane);
    this.#pane = known.length === 0 ? pane + 1 : Math.min(...known);
    this.#members = this.#count;
    this.#closings = new Map();
    this.#complete = [];
    this.#sums = new Map();
    if (pane === NEVER) return;
    this.#conclusions.push({ pane, position: this.#position! });
    this.#note = this.#noted();
  }

  #byPartition<T>(records: ReadonlyMap<number, T>): readonly T[] {
    return Array.from({ length: this.#members }, (_, partition) => records.get(partition)!);
  }

  #save({ partition, pane }: Saved): void {
    const [newest] = this.#saved.get(partition) ?? [null];
    if (newest !== null && pane <= newest) return;
    this.#saved.set(partition, [pane, newest]);
    const { floor } = this;
    this.#cuts.dropThrough(floor);
    const first = this.#conclusions.findLastIndex((each) => each.pane <= floor);
    if (first > 0) this.#conclusions.splice(0, first);
  }

  #reset(): void {
    this.#isBlind = false;
    this.#algorithm = undefined;
    this.#isHeld = false;
    this.#concluded = NEVER;
    this.#regather();
    this.#count = 0;
    this.#pane = NEVER;
    this.#cuts = new CutTable();
    this.#conclusions = [];
    this.#saved = new Map();
    this.#note = undefined;
  }

  #noted(): LedgerNote {
    return {
      ...{ position: this.#position!, epoch: this.#epoch, algorithm: this.#algorithm! },
      ...{ count: this.#count, isHeld: this.#isHeld },
      ...{ concluded: this.#concluded, pane: this.#pane, members: this.#members },
      ...{ claims: [...this.#claims], cuts: this.cuts, conclusions: [...this.#conclusions] },
      saved: [...this.#saved],
    };
  }

  #resume(note: LedgerNote): void {
    this.#position = note.position;
    this.#epoch = note.epoch;
    this.#algorithm = note.algorithm;
    this.#count = note.count;
    this.#claims = new Map(note.claims);
    this.#isHeld = note.isHeld;
    this.#bases = undefined;
    this.#concluded = note.concluded;
    this.#pane = note.pane;
    this.#members = note.members;
    for (const each of note.cuts) this.#cuts.add(each);
    this.#conclusions = [...note.conclusions];
    this.#saved = new Map(note.saved);
    this.#note = note;
  }
}

function placeOf({ pane, partition, cut }: Closing): Omit<PaneCut, 'isConcluded'> {
  return { pane, partition, cut };
}
