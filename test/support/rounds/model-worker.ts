import { CutTable } from '../../../src/stream/rounds/cut-table.js';
import {
  nextStep,
  type OwnPartition,
  restartDue,
  type Step,
} from '../../../src/stream/rounds/next-step.js';
import type { Change, Concluded, RoundLedger } from '../../../src/stream/rounds/round-ledger.js';
import {
  decodeRecord,
  encodeRecord,
  type LedgerNote,
  type LogRecord,
  type PaneCut,
} from '../../../src/stream/rounds/round-record.js';
import { cutAt, ModelPartition, type PartitionNote } from './model-partition.js';
import type { RoundWorld } from './round-world.js';

const UNSEEN_MS = 500;
/** Panes that may wait for the one that is to be closed; from then on the source is held back. */
const MOST_OPEN_PANES = 16;
const NEVER = Number.NEGATIVE_INFINITY;

export interface ModelCheckpoint {
  readonly pane: number;
  readonly state: PartitionNote;
  readonly ledger: LedgerNote;
}

/** A worker in virtual time. It keeps nothing but what is in it: a death takes all of it. */
export class ModelWorker {
  readonly name: string;
  readonly #world: RoundWorld;
  ledger: RoundLedger;
  readonly owned = new Map<number, ModelPartition>();
  /** Of each partition the total through a pane. */
  #totals: { pane: number; total: number }[] = [];
  /** What is under way for each partition. */
  readonly #sent = new Map<number, { readonly key: string; readonly atMs: number }>();
  settled = NEVER;
  /** Cuts that checkpoints name, and logs that were lost. */
  readonly memory = new CutTable();
  #restartedAtMs = NEVER;
  #epoch = 0;
  #nonces = 0;
  isDead = false;
  pausedUntil = 0;
  /** Assigned but not believed until the group says so again. */
  readonly #doubtful = new Set<number>();

  constructor(world: RoundWorld, name: string) {
    this.#world = world;
    this.name = name;
    this.ledger = this.#begin();
  }

  /** From the checkpoints of all partitions, at the oldest of them; else at the log's beginning. */
  #begin(): RoundLedger {
    const kept = this.#world.checkpoints();
    const isAll = kept.every((each) => each !== undefined);
    const oldest = isAll ? kept.reduce((a, b) => (b!.pane < a!.pane ? b : a))!.ledger : undefined;
    this.#totals = kept.map((each) =>
      isAll && each ? { pane: each.pane, total: each.state.total } : { pane: NEVER, total: 0 },
    );
    if (oldest) this.settled = Math.max(this.settled, oldest.concluded);
    return this.#world.newLedger(oldest);
  }

  assign(partition: number): void {
    if (this.owned.has(partition)) return;
    this.#load(partition);
  }

  revoke(partition: number): void {
    this.owned.delete(partition);
    this.#sent.delete(partition);
    this.#doubtful.delete(partition);
  }

  /** Whether it knows where panes were closed, and others may rely on it. */
  get isInformed(): boolean {
    return !this.isDead && this.settled > NEVER;
  }

  get algorithm(): string {
    return this.#world.algorithm;
  }

  run(): void {
    const { random, whole } = this.#world.schedule;
    // It may act on what is old.
    if (random() < 0.75) this.#read(random() < 0.3 ? 1 : 64);
    for (const partition of [...this.#doubtful]) {
      if (this.#world.owner(partition) !== this) this.revoke(partition);
      else if (random() < 0.5) {
        this.#doubtful.delete(partition);
        this.#load(partition);
      }
    }
    for (const own of this.owned.values()) {
      if (!this.#doubtful.has(own.partition)) this.#work(own);
    }
    if (random() < 0.1) this.#keep(whole(this.#world.partitions));
    const { trimmable } = this.ledger;
    if (trimmable !== undefined && random() < 0.1) this.#world.log.trim(trimmable);
  }

  #read(most: number): void {
    let found = this.#world.log.read(this.ledger.position, most);
    if (found.kind === 'gone') {
      // The others have gone on without this one, or the log was lost: it joins as one that starts.
      this.#forget(this.ledger.cuts);
      this.ledger = this.#begin();
      for (const partition of this.owned.keys()) this.#load(partition);
      found = this.#world.log.read(this.ledger.position, most);
      if (found.kind === 'gone') {
        this.ledger = this.#world.newLedger(undefined);
        found = this.#world.log.read(null, most);
      }
      if (found.kind === 'gone') {
        const { from } = found;
        const note = this.#noteIn(from);
        this.ledger = this.#world.newLedger(note);
        if (note === undefined) {
          this.#world.readsBlindly();
          this.ledger.readBlindly(from);
        }
        found = this.#world.log.read(note?.position ?? from, most);
      }
    }
    const records = found.kind === 'found' ? found.records : [];
    for (const { position, bytes } of records) {
      const change = this.ledger.take(position, bytes);
      if (change) this.#heed(change);
    }
    if (records.length < most) this.#restart();
  }

  /** One that a record holds: it is of this log if one can read on from it. */
  #noteIn(from: string): LedgerNote | undefined {
    const { log } = this.#world;
    const rest = log.read(from, Number.MAX_SAFE_INTEGER);
    const known = Math.min(...this.#totals.map(({ pane }) => pane));
    for (const { bytes } of rest.kind === 'found' ? rest.records : []) {
      const record = decodeRecord(bytes);
      const note = record?.kind === 'restart' || record?.kind === 'saved' ? record.note : null;
      if (note === null || note.concluded > known) continue;
      if (log.read(note.position, 1).kind === 'found') return note;
    }
    return undefined;
  }

  /** Says what it knows and the log does not; again, if nobody reads it. */
  #restart(): void {
    // Without: all go on with what the log says.
    if (this.#world.broken === 'restart') this.settled = Math.min(this.settled, this.ledger.known);
    const due = restartDue(this.ledger, this);
    const { now } = this.#world.schedule;
    if (due === undefined || now - this.#restartedAtMs < UNSEEN_MS) return;
    this.#restartedAtMs = now;
    this.#append({ kind: 'restart', nonce: this.#unique(), ...due }, (isWritten) => {
      if (!isWritten) this.#restartedAtMs = NEVER;
    });
  }

  #forget(cuts: readonly PaneCut[]): void {
    for (const each of cuts) this.memory.add(each);
    this.#epoch++;
    this.#sent.clear();
    for (const own of this.owned.values()) {
      own.nonce = this.#nonce();
      own.wasClaimed = false;
    }
  }

  #heed(change: Change): void {
    if (change.kind === 'restarted') {
      this.#forget(change.cuts);
      this.#restartedAtMs = NEVER;
    }
    if (change.kind === 'opened') {
      this.#totals = change.bases.map((bytes) => ({ pane: change.pane, total: numberOf(bytes) }));
      this.settled = Math.max(this.settled, change.pane);
    }
    if (change.kind === 'concluded') this.#conclude(change.concluded);
  }

  #conclude(concluded: Concluded): void {
    const { pane, rounds, cuts, isEmpty } = concluded;
    // What a checkpoint holds already was concluded before it was made.
    const isWhole = this.#totals.every((each) => each.pane < pane);
    const added = rounds[0]!.map(numberOf);
    this.#totals = this.#totals.map((each, p) =>
      each.pane < pane ? { pane, total: each.total + added[p]! } : each,
    );
    this.settled = Math.max(this.settled, pane);
    this.memory.dropThrough(this.ledger.floor);
    const all = this.#totals.reduce((sum, { total }) => sum + total, 0);
    const sums = rounds.slice(1).map((round) => round.map(numberOf).reduce((a, b) => a + b, 0));
    this.#world.concluded(this, {
      pane,
      cuts: cuts.map(({ interactions }) => interactions),
      numbers: isEmpty ? [] : [isWhole ? all : undefined, ...sums],
    });
  }

  #work(own: ModelPartition): void {
    const { partition } = own;
    this.#feed(own);
    for (let n = 0; n < 40; n++) {
      const claimed = this.ledger.claimOf(partition) === own.nonce;
      if (claimed) own.wasClaimed = true;
      const step = nextStep(this.ledger, this.#seen(own), this);
      if (step.kind === 'reload') {
        // Only the group knows whether it is still this worker's.
        this.#doubtful.add(partition);
        return;
      }
      if (step.kind !== 'close') {
        this.#say(own, step);
        return;
      }
      if (!this.#close(own, step.pane, step.cut?.interactions)) return;
    }
  }

  /** Cuts that bind the one that closes a pane catch most of what nonces do: those go with them. */
  #seen(own: ModelPartition): OwnPartition {
    if (this.#world.broken !== 'nonce') return own;
    const { partition, nonce, wasClaimed, closed, knowsNext } = own;
    return { partition, nonce, wasClaimed, closed, knowsNext, cutOf: () => undefined };
  }

  #feed(own: ModelPartition): void {
    const world = this.#world;
    const events = world.events[own.partition]!;
    for (let n = world.schedule.whole(12); n > 0; n--) {
      const event = events[own.read];
      const isThere = event !== undefined && event.atMs <= world.schedule.now;
      if (!isThere || own.openPanes > MOST_OPEN_PANES) return;
      own.take(event);
    }
  }

  #close(own: ModelPartition, pane: number, cut: number | undefined): boolean {
    const world = this.#world;
    const events = world.events[own.partition]!;
    if (cut !== undefined) {
      while (own.read < cut) own.take(events[own.read]!);
      own.close(pane, cut, world.broken === 'cuts' ? own.read : cut);
      return true;
    }
    const next = events[own.read];
    const isAtEnd = next === undefined || next.atMs > world.schedule.now;
    const isIdle = isAtEnd && this.ledger.isBegun && world.schedule.random() < 0.05;
    if (!own.isDue(pane) && !isIdle) return false;
    own.close(pane, own.read);
    return true;
  }

  #say(own: ModelPartition, step: Step): void {
    const { partition, nonce } = own;
    const record = this.#recordOf(own, step);
    if (record === undefined) return;
    const key = `${this.#epoch} ${nonce} ${JSON.stringify(step)}`;
    const { now } = this.#world.schedule;
    const sent = this.#sent.get(partition);
    // What was written and is not read after a while is lost with a log's end that nobody had read.
    if (sent?.key === key && now - sent.atMs < UNSEEN_MS) return;
    this.#sent.set(partition, { key, atMs: now });
    this.#append(record, (isWritten) => {
      if (!isWritten && this.#sent.get(partition)?.key === key) this.#sent.delete(partition);
    });
  }

  #recordOf(own: ModelPartition, step: Step): LogRecord | undefined {
    const { partition, nonce } = own;
    switch (step.kind) {
      case 'claim': {
        const { partitions: count, algorithm } = this.#world;
        return { kind: 'claim', partition, nonce, over: step.over, count, algorithm };
      }
      case 'base': {
        const { pane } = step;
        const cuts = [...this.memory.all];
        const cut = own.cutOf(pane);
        if (pane > NEVER && cut) cuts.push({ pane, partition, cut, isConcluded: true });
        const payload = bytesOf(own.totalAt(pane));
        return { kind: 'base', partition, nonce, pane, next: own.nextAfter(pane), cuts, payload };
      }
      case 'closing': {
        const { pane } = step;
        const sum = own.rows.get(pane)!;
        const cut = own.cutOf(pane) ?? cutAt(0);
        const [next, payload] = [own.nextAfter(pane), bytesOf(sum)];
        return { kind: 'closing', partition, nonce, pane, cut, next, isEmpty: sum === 0, payload };
      }
      case 'sums': {
        const { pane, round } = step;
        // A worker with an older state than the log's counts with what it has heard since.
        const weight = this.ledger.rounds
          .at(-1)!
          .map(numberOf)
          .reduce((a, b) => a + b, 0);
        const payload = bytesOf(own.windowSum(pane, weight));
        return { kind: 'sums', partition, nonce, pane, round, payload };
      }
      default:
        return undefined;
    }
  }

  #keep(partition: number): void {
    const own = this.owned.get(partition);
    const { note } = this.ledger;
    if (own === undefined || note === undefined || this.ledger.isGathering) return;
    const isAt = own.closed === this.ledger.concluded && note.concluded === own.closed;
    if (!isAt || this.ledger.claimOf(partition) !== own.nonce) return;
    this.#world.save(partition, { pane: own.closed, state: own.note(), ledger: note });
    const saved = { kind: 'saved', partition, nonce: own.nonce, pane: own.closed } as const;
    this.#append({ ...saved, note: partition === 0 ? note : null }, () => {});
  }

  #load(partition: number): void {
    const kept = this.#world.checkpoints()[partition];
    this.#sent.delete(partition);
    const own = new ModelPartition(partition, this.#nonce(), kept?.state);
    this.owned.set(partition, own);
    if (kept === undefined) return;
    this.settled = Math.max(this.settled, kept.pane);
    for (const each of kept.ledger.cuts) this.memory.add(each);
  }

  #append(record: LogRecord, answer: (isWritten: boolean) => void): void {
    const { log, isFaulty } = this.#world;
    log.append(encodeRecord(record), isFaulty, (isWritten) => {
      if (!this.isDead) answer(isWritten);
    });
  }

  #nonce(): string {
    return this.#world.broken === 'nonce' ? 'same' : this.#unique();
  }

  #unique(): string {
    return `${this.name}.${this.#nonces++}`;
  }
}

function bytesOf(value: number): Uint8Array {
  return new TextEncoder().encode(`${value}`);
}

function numberOf(bytes: Uint8Array): number {
  return Number(new TextDecoder().decode(bytes));
}
