import { UnskewError } from '../../errors.js';
import type { ItemNames, Rounds } from '../../estimators/partitions/rounds.js';
import type { RoundLog, RoundsGone } from '../ports.js';
import { CutTable } from '../rounds/cut-table.js';
import { nextStep, restartDue, type Step } from '../rounds/next-step.js';
import { type Change, type Concluded, RoundLedger } from '../rounds/round-ledger.js';
import {
  type Cut,
  decodeRecord,
  encodeRecord,
  type LedgerNote,
  type LogRecord,
  type PaneCut,
} from '../rounds/round-record.js';
import { isLastRound, TickRun } from './tick-run.js';

const NEVER = Number.NEGATIVE_INFINITY;
/** Steps of one partition in a row, so that none holds back the others. */
const MOST_STEPS = 40;

/** A partition as a worker has it: what it read of its log, and the panes that it closed. */
export interface StationPartition {
  /** The newest pane that it has closed; −Infinity before the first. */
  readonly closed: number;
  /** Whether a pane after that is known to hold anything; `nextAfter` says which. */
  readonly knowsNext: boolean;
  cutOf(pane: number): Cut | undefined;
  /** The earliest pane after one that holds anything: one that is closed itself if it is later. */
  nextAfter(pane: number): number | null;
  /**
   * Closes a pane, at the cut if there is one, else when its time has come.
   *
   * @param isBegun whether others have closed it: silence is no reason to wait then.
   * @returns false where the time has not come, or it has not read as far.
   */
  close(pane: number, cut: Cut | undefined, isBegun: boolean): boolean;
  /** What a pane that it has closed adds to what all know of it. */
  closing(pane: number): { readonly payload: Uint8Array; readonly isEmpty: boolean };
  /** All that it has through a pane that it has closed. */
  base(pane: number): Uint8Array;
}

/** What is kept of a partition. */
export interface KeptPartition {
  readonly pane: number;
  /** As `base` said it at that pane. */
  readonly base: Uint8Array;
  readonly note: LedgerNote;
}

/** What a station works on. */
export interface StationWork<Partition extends StationPartition, Result> {
  readonly names: ItemNames;
  /** Newest checkpoint of each partition; undefined where there is none. */
  kept(): Promise<readonly (KeptPartition | undefined)[]>;
  /** A partition from its newest checkpoint, or from its beginning. */
  load(partition: number): Promise<Partition>;
  /** Keeps a partition, whose newest closed pane is the one that the note is of. */
  save(partition: number, state: Partition, note: LedgerNote): Promise<void>;
  /** Whether the group still gives a partition to this worker. */
  isAssigned(partition: number): Promise<boolean>;
  /** Begins again, with what all partitions had, each through a pane of its own. */
  begin(bases: readonly (Uint8Array | undefined)[]): void;
  /** What a pane adds to a partition. */
  add(partition: number, pane: number, closing: Uint8Array): void;
  /**
   * The numbers of a pane, from what all partitions had before it and add by it. What it reads does not
   * change before it ends; it gathers a part for each partition of `own`, in every round.
   *
   * @param closings of all partitions, by partition. @param own by partition, ascending.
   */
  tick(
    pane: number,
    closings: readonly Uint8Array[],
    own: ReadonlyMap<number, Partition>,
    rounds: Rounds,
  ): Generator<void, Result>;
  /** A pane is concluded; nothing is known of it where this worker came later, or nobody had anything. */
  concluded(pane: number, end: { readonly result: Result } | undefined): void;
}

export interface StationOptions {
  readonly log: RoundLog;
  /** How many partitions there are. */
  readonly partitions: number;
  /** What the numbers are computed by: workers that compute by something else are refused. */
  readonly algorithm: string;
  /** Ends what it waits for. */
  readonly signal: AbortSignal;
  /** A name that nobody else draws. */
  readonly unique: () => string;
  readonly now: () => number;
  /** Lets others run. */
  readonly pause: () => Promise<void>;
  /** How long it waits for a record before it looks at its partitions again. */
  readonly waitMs?: number;
  /** What was written and is not read after so long is written again. */
  readonly unseenMs?: number;
  /** Is given failures that may pass: what failed is tried again. */
  readonly onFailure: (failure: unknown) => void;
}

interface Owned<Partition> {
  readonly partition: number;
  readonly state: Partition;
  nonce: string;
  wasClaimed: boolean;
}

/**
 * A worker of a group that exchanges sums by a log of rounds: reads it, does what `nextStep` says for
 * each of its partitions, and ticks with all others. One that dies leaves nothing behind that is not in
 * the log and in checkpoints, and who takes its partitions over comes to the same bits.
 *
 * **Source**: state machine replication over a totally ordered log (Schneider 1990); the protocol is in
 * `stream/rounds`.
 */
export class RoundStation<Partition extends StationPartition, Result> {
  readonly #work: StationWork<Partition, Result>;
  readonly #options: StationOptions;
  readonly #waitMs: number;
  readonly #unseenMs: number;
  #ledger = new RoundLedger(isLastRound);
  readonly #owned = new Map<number, Owned<Partition>>();
  readonly #doubtful = new Set<number>();
  /** Through which pane it is known what each partition has; empty before anything is known. */
  #through: number[] = [];
  #settled = NEVER;
  readonly #memory = new CutTable();
  #run: TickRun<Result> | undefined;
  #runOf: ReadonlyMap<number, Partition> = new Map();
  /** Counts logs that were lost: what was sent to one was not sent to the next. */
  #epoch = 0;
  readonly #sent = new Map<number, { readonly key: string; readonly atMs: number }>();
  #restartedAtMs = NEVER;
  #refusal: string | undefined;

  constructor(work: StationWork<Partition, Result>, options: StationOptions) {
    this.#work = work;
    this.#options = options;
    this.#waitMs = options.waitMs ?? 200;
    this.#unseenMs = options.unseenMs ?? 10_000;
  }

  /** Why it may not take part; undefined if it may. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The newest pane that all have concluded, as far as it has read. */
  get concluded(): number {
    return this.#ledger.concluded;
  }

  async assign(partition: number): Promise<void> {
    if (!this.#owned.has(partition)) await this.#load(partition);
  }

  revoke(partition: number): void {
    this.#owned.delete(partition);
    this.#doubtful.delete(partition);
    this.#sent.delete(partition);
  }

  /** Works until it is stopped. @throws what a tick or a checkpoint throws, and what is not to pass */
  async work(): Promise<void> {
    await this.#begin();
    const { signal } = this.#options;
    while (!signal.aborted) {
      await this.turn();
      await this.#options.pause();
    }
  }

  /** Reads what is there, and does all that is to be done by then. */
  async turn(): Promise<void> {
    if (this.#through.length === 0) await this.#begin();
    const isAtEnd = await this.#read();
    if (isAtEnd) await this.#restart();
    for (const partition of [...this.#doubtful]) await this.#settleDoubt(partition);
    this.#tick();
    for (const own of this.#owned.values()) {
      if (!this.#doubtful.has(own.partition)) await this.#advance(own);
    }
  }

  /** Keeps the partitions that stand at the newest concluded pane, and drops what nobody needs. */
  async keep(): Promise<void> {
    const { note } = this.#ledger;
    if (note === undefined || this.#ledger.isGathering) return;
    for (const { partition, nonce, state } of [...this.#owned.values()]) {
      const isAt = state.closed === this.#ledger.concluded && note.concluded === state.closed;
      if (!isAt || this.#ledger.claimOf(partition) !== nonce) continue;
      await this.#work.save(partition, state, note);
      const saved = { kind: 'saved', partition, nonce, pane: state.closed } as const;
      await this.#append({ ...saved, note: partition === 0 ? note : null });
    }
    const { trimmable } = this.#ledger;
    if (trimmable !== undefined && this.#owned.has(0)) {
      await this.#tried(() => this.#options.log.trim(trimmable));
    }
  }

  /** Gives up its partitions, so that a group that computes otherwise may begin. */
  async release(): Promise<void> {
    for (const { partition, nonce } of this.#owned.values()) {
      if (this.#ledger.claimOf(partition) === nonce) {
        await this.#append({ kind: 'release', partition, nonce });
      }
    }
  }

  /** From the checkpoints of all partitions, at the oldest of them; else at the log's beginning. */
  async #begin(): Promise<void> {
    const kept = await this.#work.kept();
    const all = kept.filter((each) => each !== undefined);
    const isAll = all.length === this.#options.partitions;
    const oldest = isAll ? all.reduce((a, b) => (b.pane < a.pane ? b : a)).note : undefined;
    this.#through = Array.from({ length: this.#options.partitions }, (_, p) =>
      isAll ? all[p].pane : NEVER,
    );
    this.#work.begin(this.#through.map((_, p) => (isAll ? all[p].base : undefined)));
    if (oldest !== undefined) this.#settled = Math.max(this.#settled, oldest.concluded);
    this.#run = undefined;
    this.#ledger = new RoundLedger(isLastRound, oldest);
  }

  /** @returns whether it has read to the log's end */
  async #read(): Promise<boolean> {
    const { log } = this.#options;
    // Own work waits for no record.
    const isBusy = this.#run !== undefined && !this.#run.isWaiting && this.#run.end === undefined;
    const waitMs = isBusy ? 0 : this.#waitMs;
    const found = await this.#tried(() => log.read(this.#ledger.position, waitMs));
    if (found === undefined) return false;
    if (found.kind === 'gone') {
      await this.#tried(() => this.#beginAgain());
      return false;
    }
    for (const { position, bytes } of found.records) {
      const change = this.#ledger.take(position, bytes);
      if (change !== undefined) await this.#heed(change);
    }
    return found.records.length === 0;
  }

  /** The others have gone on without this one, or the log was lost: it joins as one that starts. */
  async #beginAgain(): Promise<void> {
    const { log } = this.#options;
    this.#forget(this.#ledger.cuts);
    await this.#begin();
    for (const partition of [...this.#owned.keys()]) await this.#load(partition);
    const gone = (found: Awaited<ReturnType<RoundLog['read']>>): found is RoundsGone =>
      found.kind === 'gone';
    if (!gone(await log.read(this.#ledger.position, 0))) return;
    this.#ledger = new RoundLedger(isLastRound);
    const first = await log.read(null, 0);
    if (!gone(first)) return;
    const note = await this.#noteIn(first.from);
    this.#ledger = new RoundLedger(isLastRound, note);
    if (note === undefined) this.#ledger.readBlindly(first.from);
  }

  /** One that a record holds: it is of this log if one can read on from it. */
  async #noteIn(from: string): Promise<LedgerNote | undefined> {
    const { log } = this.#options;
    const known = Math.min(...this.#through);
    for (let after = from; ; ) {
      const found = await log.read(after, 0);
      if (found.kind === 'gone' || found.records.length === 0) return undefined;
      for (const { position, bytes } of found.records) {
        after = position;
        const record = decodeRecord(bytes);
        const note = record?.kind === 'restart' || record?.kind === 'saved' ? record.note : null;
        if (note === null || note.concluded > known) continue;
        if ((await log.read(note.position, 0)).kind === 'found') return note;
      }
    }
  }

  /** Says what it knows and the log does not; again, if nobody reads it. */
  async #restart(): Promise<void> {
    const due = restartDue(this.#ledger, this.#knowledge());
    const now = this.#options.now();
    if (due === undefined || now - this.#restartedAtMs < this.#unseenMs) return;
    this.#restartedAtMs = now;
    const nonce = this.#options.unique();
    const isWritten = await this.#append({ kind: 'restart', nonce, ...due });
    if (!isWritten) this.#restartedAtMs = NEVER;
  }

  #knowledge() {
    const { algorithm } = this.#options;
    return { algorithm, settled: this.#settled, memory: this.#memory };
  }

  #forget(cuts: readonly PaneCut[]): void {
    for (const each of cuts) this.#memory.add(each);
    this.#epoch++;
    this.#sent.clear();
    this.#run = undefined;
    for (const own of this.#owned.values()) {
      own.nonce = this.#options.unique();
      own.wasClaimed = false;
    }
  }

  async #heed(change: Change): Promise<void> {
    switch (change.kind) {
      case 'restarted':
        this.#forget(change.cuts);
        this.#restartedAtMs = NEVER;
        return;
      case 'opened':
        this.#through = this.#through.map(() => change.pane);
        this.#work.begin(change.bases);
        this.#settled = Math.max(this.#settled, change.pane);
        return;
      case 'round':
        if (this.#run?.pane === change.pane) this.#run.learn(this.#ledger.rounds);
        return;
      case 'concluded':
        await this.#conclude(change.concluded);
        return;
      default:
    }
  }

  async #conclude({ pane, rounds, isEmpty }: Concluded): Promise<void> {
    if (!isEmpty) this.#beginRun(pane, rounds);
    const run = isEmpty ? undefined : this.#run;
    run?.learn(rounds);
    // All has been said: it ends without waiting for anybody.
    for (let steps = 0; run !== undefined && run.end === undefined; steps++) {
      run.step();
      if (steps % MOST_STEPS === 0) await this.#options.pause();
    }
    this.#run = undefined;
    for (const [partition, closing] of rounds[0].entries()) {
      if (this.#through[partition] >= pane) continue;
      this.#work.add(partition, pane, closing);
      this.#through[partition] = pane;
    }
    this.#settled = Math.max(this.#settled, pane);
    this.#memory.dropThrough(this.#ledger.floor);
    this.#work.concluded(pane, run?.end);
  }

  /** Goes on with the tick of the pane that is open, if all have closed it. */
  #tick(): void {
    const { pane, round, rounds, isGathering } = this.#ledger;
    if (isGathering || round === 0) return;
    this.#beginRun(pane, rounds);
    this.#run?.learn(rounds);
    for (let steps = 0; steps < MOST_STEPS; steps++) this.#run?.step();
  }

  /** A worker that came later than a pane has no numbers of it; one that has other partitions begins it again. */
  #beginRun(pane: number, rounds: readonly (readonly Uint8Array[])[]): void {
    if (this.#through.some((through) => through >= pane)) {
      this.#run = undefined;
      return;
    }
    const own = new Map<number, Partition>();
    for (const partition of [...this.#owned.keys()].sort((a, b) => a - b)) {
      const { state, nonce } = this.#owned.get(partition)!;
      const isClaimed = this.#ledger.claimOf(partition) === nonce;
      if (isClaimed && state.closed === pane) own.set(partition, state);
    }
    const isSame = [...own].every(([partition, state]) => this.#runOf.get(partition) === state);
    if (this.#run?.pane === pane && isSame && own.size === this.#runOf.size) return;
    const tick = (each: Rounds) => this.#work.tick(pane, rounds[0], own, each);
    this.#runOf = own;
    this.#run = new TickRun(pane, [...own.keys()], rounds.slice(), tick, this.#work.names);
  }

  async #settleDoubt(partition: number): Promise<void> {
    if (!(await this.#work.isAssigned(partition))) {
      this.revoke(partition);
      return;
    }
    this.#doubtful.delete(partition);
    await this.#load(partition);
  }

  async #advance(own: Owned<Partition>): Promise<void> {
    const { partition, state } = own;
    for (let n = 0; n < MOST_STEPS; n++) {
      if (this.#ledger.claimOf(partition) === own.nonce) own.wasClaimed = true;
      const step = nextStep(this.#ledger, seenBy(own), this.#knowledge());
      this.#refusal = step.kind === 'refused' ? step.reason : undefined;
      if (step.kind === 'reload') {
        // Only the group knows whether it is still this worker's.
        this.#doubtful.add(partition);
        return;
      }
      if (step.kind !== 'close') {
        await this.#say(own, step);
        return;
      }
      if (!state.close(step.pane, step.cut, this.#ledger.isBegun)) return;
    }
  }

  async #say({ partition, nonce, state }: Owned<Partition>, step: Step): Promise<void> {
    const record = this.#recordOf(partition, nonce, state, step);
    if (record === undefined) return;
    // Who has said that it knows of nothing says so when it does.
    const key = `${this.#epoch} ${nonce} ${state.knowsNext} ${JSON.stringify(step)}`;
    const now = this.#options.now();
    const sent = this.#sent.get(partition);
    // What was written and is not read after a while is lost with a log's end that nobody had read.
    if (sent?.key === key && now - sent.atMs < this.#unseenMs) return;
    this.#sent.set(partition, { key, atMs: now });
    const isWritten = await this.#append(record);
    if (!isWritten && this.#sent.get(partition)?.key === key) this.#sent.delete(partition);
  }

  #recordOf(partition: number, nonce: string, state: Partition, step: Step): LogRecord | undefined {
    const own = { partition, nonce };
    switch (step.kind) {
      case 'claim': {
        const { partitions: count, algorithm } = this.#options;
        return { kind: 'claim', ...own, over: step.over, count, algorithm };
      }
      case 'base': {
        const { pane } = step;
        const cuts = [...this.#memory.all];
        const cut = state.cutOf(pane);
        if (pane > NEVER && cut) cuts.push({ pane, partition, cut, isConcluded: true });
        const [next, payload] = [state.nextAfter(pane), state.base(pane)];
        return { kind: 'base', ...own, pane, next, cuts, payload };
      }
      case 'closing': {
        const { pane } = step;
        const [cut, next] = [state.cutOf(pane)!, state.nextAfter(pane)];
        return { kind: 'closing', ...own, pane, cut, next, ...state.closing(pane) };
      }
      case 'sums': {
        const { pane, round } = step;
        const run = this.#run?.pane === pane ? this.#run : undefined;
        const payload = run?.payloadOf(partition, round);
        return payload && { kind: 'sums', ...own, pane, round, payload };
      }
      default:
        return undefined;
    }
  }

  async #load(partition: number): Promise<void> {
    const kept = (await this.#work.kept())[partition];
    const state = await this.#work.load(partition);
    this.#sent.delete(partition);
    const nonce = this.#options.unique();
    this.#owned.set(partition, { partition, state, nonce, wasClaimed: false });
    if (kept === undefined) return;
    this.#settled = Math.max(this.#settled, kept.pane);
    for (const each of kept.note.cuts) this.#memory.add(each);
  }

  /** @returns whether it is written, as far as is known */
  async #append(record: LogRecord): Promise<boolean> {
    const isWritten = await this.#tried(async () => {
      await this.#options.log.append(encodeRecord(record));
      return true;
    });
    return isWritten ?? false;
  }

  /** undefined where it failed in a way that may pass. */
  async #tried<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    try {
      return await attempt();
    } catch (failure) {
      if (!mayPass(failure)) throw failure;
      this.#options.onFailure(failure);
      return undefined;
    }
  }
}

function mayPass(failure: unknown): boolean {
  return failure instanceof UnskewError && ['STATE', 'BROKER'].includes(failure.code);
}

/** What `nextStep` sees of a partition. */
function seenBy<Partition extends StationPartition>(own: Owned<Partition>) {
  const { partition, nonce, wasClaimed, state } = own;
  const { closed, knowsNext } = state;
  const cutOf = (pane: number) => state.cutOf(pane);
  return { partition, nonce, wasClaimed, closed, knowsNext, cutOf };
}
