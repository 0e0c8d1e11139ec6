import { firstValueFrom, fromEvent, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { CheckpointStore, NextOffsets } from '../ports.js';
import type { Closer } from '../read/pane-closer.js';
import type { Turns } from '../sliced.js';
import type { Capture } from './captured-state.js';
import { newestCheckpoint, type OpenedCheckpoint, peekCheckpoint } from './checkpoint.js';

/**
 * Why the store has no checkpoint of a partition. `first`: there never was one. `absent`: an
 * earlier one is lost; with an error, the log could not say whether there was one.
 */
export interface WhyNothing {
  readonly outcome: 'first' | 'absent';
  readonly error?: Error;
}

/**
 * Returns the partitions with committed offsets. These have had a checkpoint, since each checkpoint
 * commits offsets.
 */
export type ToldOf = () => Promise<readonly number[]>;

const NO_MEMORY = new UnskewError('STATE', 'the log does not remember what was kept of it');

/**
 * Distinguish a partition that never had a checkpoint from one whose state is lost. A store that
 * lost everything cannot say, but the log has a commit for every checkpoint.
 */
export class FirstStart {
  readonly #toldOf: ToldOf | undefined;
  /** Partitions with committed offsets, requested once per assignment. */
  #answer: Promise<readonly number[]> | undefined;

  /** @param toldOf undefined if the log stores no commits; a missing checkpoint then counts as lost */
  constructor(toldOf: ToldOf | undefined) {
    this.#toldOf = toldOf;
  }

  /** Start a new assignment: the partitions with committed offsets are requested again. */
  begin(): void {
    this.#answer = undefined;
  }

  /**
   * Determine why a partition has no checkpoint; undefined if the assignment is outdated before the
   * log answers.
   */
  async why(partition: number, outdated: AbortSignal): Promise<WhyNothing | undefined> {
    if (this.#toldOf === undefined) {
      return {
        outcome: 'absent',
        error: NO_MEMORY,
      };
    }
    if (outdated.aborted) return undefined;
    this.#answer ??= this.#toldOf();
    try {
      const given = firstValueFrom(fromEvent(outdated, 'abort')).then(() => undefined);
      const told = await Promise.race([this.#answer, given]);
      return told && { outcome: told.includes(partition) ? 'absent' : 'first' };
    } catch (error) {
      if (!(error instanceof UnskewError)) throw error;
      return {
        outcome: 'absent',
        error,
      };
    }
  }
}

/** Outcomes of checkpoints: all values of the metric label `outcome`. */
export const CHECKPOINT_OUTCOMES = [
  'saved',
  'failed',
  'fenced',
  'loaded',
  'first',
  'absent',
  'damaged',
  'lost',
] as const;

export interface CheckpointEvent {
  readonly partition: number;
  readonly outcome: (typeof CHECKPOINT_OUTCOMES)[number];
  /** With `failed` and `damaged`, and with `absent` if it is not known whether this is the first start. */
  readonly error?: Error;
  /** With `saved`: the offsets of the checkpoint. */
  readonly next?: NextOffsets;
}

export interface CheckpointerOptions {
  readonly store: CheckpointStore;
  /** Interval between checkpoints, wall clock, ms. */
  readonly everyMs: number;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Resolves when the results of closed panes are stored safely. */
  readonly written: () => Promise<void>;
  /**
   * Returns the partitions with committed offsets; rejects with an UnskewError if the log does not
   * answer. Undefined if the log stores no commits.
   */
  readonly toldOf?: ToldOf;
}

/** The part of `Closer` that determines when state can be saved. */
export type Rest = Pick<Closer, 'atRest' | 'waitsForPanes'>;

const LOADED: {
  readonly outcome: CheckpointEvent['outcome'];
  readonly error?: Error;
} = {
  outcome: 'loaded',
};
/** Interval between attempts to reach an unreachable store, ms. */
const AGAIN_MS = 2_000;

/**
 * Saves the state of this process's partitions to a store, and loads it. Partitions are saved one
 * after another, each at its current pane. If the store is unreachable, checkpoints wait and the
 * stream continues.
 */
export class Checkpointer {
  readonly events$ = new Subject<CheckpointEvent>();
  readonly #options: CheckpointerOptions;
  readonly #firstStart: FirstStart;
  #held: readonly number[] = [];
  /** Aborted when others may have the partitions. */
  #outdated: AbortSignal = AbortSignal.abort();
  #isFenced = false;
  /** Epochs of the assigned partitions; missing if an epoch must be taken again. */
  readonly #epochs = new Map<number, number>();
  /** Time and mark of the last stored state by partition. */
  readonly #kept = new Map<
    number,
    {
      at: number;
      mark: string;
    }
  >();
  /** Why the store fails; undefined while it works. */
  #trouble: string | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#firstStart = new FirstStart(options.toldOf);
  }

  /** Whether the last request to the store succeeded. */
  get isReachable(): boolean {
    return this.#trouble === undefined;
  }

  /** Why the store fails; undefined while it works. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Whether a checkpoint was rejected because another worker owns the partition. */
  get isFenced(): boolean {
    return this.#isFenced;
  }

  /**
   * Oldest of the times at which the partitions' states were last stored, ms since the epoch;
   * undefined without partitions.
   */
  get keptSince(): number | undefined {
    if (this.#kept.size === 0) return undefined;
    return Math.min(...[...this.#kept.values()].map(({ at }) => at));
  }

  /** Delay until the next round, ms. */
  get pauseMs(): number {
    const { everyMs } = this.#options;
    return this.isReachable ? everyMs : Math.min(everyMs, AGAIN_MS);
  }

  /**
   * Take a partition over, so that checkpoints of other processes are rejected. Waits for an
   * unreachable store, or until the signal is aborted. If the assignment is outdated, the partition
   * is left to its new owner.
   *
   * @returns the newest undamaged checkpoint; undefined if there is none at all
   * @throws UnskewError STATE if there are only damaged ones, or one of another version
   */
  async take(
    partition: number,
    signal: AbortSignal,
  ): Promise<OpenedCheckpoint | 'outdated' | undefined> {
    const outdated = this.#outdated;
    for (;;) {
      if (outdated.aborted) return 'outdated';
      try {
        const { now } = this.#options;
        await this.#reach(() => this.#takeEpoch(partition));
        const { opened, told } = await this.#find(partition, outdated);
        if (told === undefined) return 'outdated';
        this.#kept.set(partition, {
          at: now(),
          mark: '',
        });
        this.#tell(partition, told.outcome, told.error);
        return opened;
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        this.#tell(partition, 'failed', error.cause);
      }
      await firstValueFrom(
        race(timer(AGAIN_MS), fromEvent(signal, 'abort'), fromEvent(outdated, 'abort')),
      );
      if (signal.aborted) throw new UnskewError('INTERRUPTED', 'stopped before state was loaded');
    }
  }

  /**
   * Read the checkpoint of a partition without taking it over. Waits for an unreachable store, or
   * until the signal is aborted.
   *
   * @returns the newest undamaged checkpoint; undefined if there is none at all
   * @throws UnskewError STATE if there are only damaged ones, or one of another version
   */
  async read(partition: number, signal: AbortSignal): Promise<OpenedCheckpoint | undefined> {
    return this.#patiently(partition, signal, () => this.#load(partition));
  }

  /**
   * Number of the newest closed pane in the checkpoints of these partitions; −Infinity if they have
   * no checkpoint.
   *
   * @throws UnskewError STATE if the store is unreachable
   */
  async keptThrough(partitions: readonly number[]): Promise<number> {
    const { store } = this.#options;
    let newest = Number.NEGATIVE_INFINITY;
    for (const partition of partitions) {
      const found = await peekCheckpoint(store, partition);
      newest = Math.max(newest, found?.head.progress.closedThrough ?? newest);
    }
    return newest;
  }

  /** Report whether a checkpoint was found. */
  tellRead(partition: number, opened: OpenedCheckpoint | undefined): void {
    this.#tell(partition, opened === undefined ? 'first' : 'loaded');
  }

  /**
   * Read the heads of the checkpoints of all partitions, without taking them over. Waits for an
   * unreachable store, or until the signal is aborted.
   */
  async peek(
    signal: AbortSignal,
    look: (checkpoint: Pick<OpenedCheckpoint, 'version' | 'head'>, partition: number) => void,
  ): Promise<void> {
    const { store } = this.#options;
    const reached = (partition: number, bytes: number) =>
      this.#patiently(partition, signal, () => store.peek(partition, bytes));
    for (let partition = 0, count = 1; partition < count; partition++) {
      const found = await peekCheckpoint({ peek: reached }, partition);
      if (found === undefined) continue;
      look(found, partition);
      count = Math.max(count, found.head.log?.partitions ?? 0);
    }
  }

  async #patiently<T>(partition: number, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#reach(call);
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        this.#tell(partition, 'failed', error.cause);
      }
      await firstValueFrom(race(timer(AGAIN_MS), fromEvent(signal, 'abort')));
      if (signal.aborted) throw new UnskewError('INTERRUPTED', 'stopped before state was loaded');
    }
  }

  /**
   * Set the assigned partitions, each with an epoch still to be taken.
   *
   * @param outdated aborted when others may have them; from then on no epoch is taken, since it
   *   would fence the owner
   */
  hold(partitions: readonly number[], outdated: AbortSignal): void {
    this.#held = partitions;
    this.#outdated = outdated;
    this.#isFenced = false;
    this.#firstStart.begin();
    this.#epochs.clear();
    for (const partition of this.#kept.keys()) {
      if (!partitions.includes(partition)) {
        this.#kept.delete(partition);
      }
    }
  }

  /**
   * The epoch under which a partition is written, taken again if necessary; undefined for a
   * partition that is not assigned or may belong to others.
   *
   * @throws UnskewError STATE if the store is unreachable
   */
  async epochOf(partition: number): Promise<number | undefined> {
    if (!this.#held.includes(partition)) return undefined;
    if (!this.#epochs.has(partition)) {
      await this.#takeEpoch(partition);
    }
    return this.#epochs.get(partition);
  }

  /**
   * Save all assigned partitions that have changed since they were last saved; failures are retried
   * in the next round.
   */
  save(partitions: readonly number[], state: Capture, closer: Rest): Promise<void> {
    const round = this.#last.then(() => this.#saveAll(partitions, state, closer));
    this.#last = round.catch(() => {});
    return round;
  }

  async #saveAll(partitions: readonly number[], state: Capture, closer: Rest): Promise<void> {
    if (closer.waitsForPanes) {
      await Promise.all(partitions.map((partition) => this.#saved(partition, state, closer)));
      return;
    }
    for (const partition of partitions) {
      if (!(await this.#saved(partition, state, closer))) return;
    }
  }

  /** @returns whether the store answered */
  async #saved(partition: number, state: Capture, closer: Rest): Promise<boolean> {
    try {
      await this.#save(partition, state, closer);
      return true;
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      this.#tell(partition, 'failed', error.cause);
      return false;
    }
  }

  async #save(partition: number, kept: Capture, closer: Rest): Promise<void> {
    const { store, now, written } = this.#options;
    // This round may have waited for an earlier one, and another worker may have the partition now.
    // A known epoch needs no request, so it does not show whether the store is reachable.
    const epoch = this.#epochs.has(partition)
      ? await this.epochOf(partition)
      : await this.#reach(() => this.epochOf(partition));
    if (epoch === undefined) return;
    await this.#noticeLoss(partition);
    const at = now();
    const made = await closer.atRest(partition, async () => {
      // Another worker may have got the partition since the epoch was requested.
      if (this.#epochs.get(partition) !== epoch) return undefined;
      return kept.capture(partition, {
        epoch,
        savedAt: at,
        mark: this.#kept.get(partition)?.mark,
      });
    });
    if (made === undefined) return;
    const { mark, next, chunks } = made;
    if (chunks !== undefined) {
      await written();
      const outcome = await this.#reach(() => store.save(partition, epoch, chunks));
      // Freed only now, since the store may still use the chunks after a failure.
      made.free?.();
      if (outcome === 'fenced') {
        this.#isFenced ||= this.#epochs.get(partition) === epoch;
        return this.#tell(partition, outcome);
      }
      this.events$.next({
        partition,
        outcome,
        next,
      });
    }
    if (this.#held.includes(partition)) {
      this.#kept.set(partition, { at, mark });
    }
  }

  /**
   * Check that the stored checkpoint is still there. If it has disappeared, for example by
   * eviction, the partition is saved again even without changes.
   */
  async #noticeLoss(partition: number): Promise<void> {
    const kept = this.#kept.get(partition);
    if (kept === undefined || kept.mark === '') return;
    if (await this.#reach(() => this.#options.store.isWhole(partition))) return;
    this.#kept.set(partition, {
      ...kept,
      mark: '',
    });
    this.#tell(partition, 'lost');
  }

  async #takeEpoch(partition: number): Promise<void> {
    const outdated = this.#outdated;
    if (outdated.aborted) return;
    const epoch = await this.#options.store.takeEpoch(partition);
    // The assignment may have changed by now. Of two concurrent requests, only the newer epoch is valid.
    if (outdated !== this.#outdated || !this.#held.includes(partition)) return;
    const other = this.#epochs.get(partition);
    if (other === undefined || epoch > other) {
      this.#epochs.set(partition, epoch);
    }
  }

  /**
   * Load the newest checkpoint of a partition, and determine the outcome to report. The outcome is
   * undefined if the assignment becomes outdated meanwhile.
   */
  async #find(partition: number, outdated: AbortSignal) {
    const opened = await this.#load(partition);
    if (opened) {
      return {
        opened,
        told: LOADED,
      };
    }
    const told = await this.#firstStart.why(partition, outdated);
    if (told?.outcome !== 'absent' || told.error) return { opened, told };
    // Another owner may have stored a checkpoint and committed offsets since the first look.
    const since = await this.#load(partition);
    return since
      ? {
          opened: since,
          told: LOADED,
        }
      : { opened, told };
  }

  async #load(partition: number): Promise<OpenedCheckpoint | undefined> {
    const kept = this.#options.store.load(partition)[Symbol.asyncIterator]();
    const next = () => this.#reach(() => kept.next());
    return newestCheckpoint(partition, next, this.#options.turns, (error) =>
      this.#tell(partition, 'damaged', error),
    );
  }

  async #reach<T>(call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      this.#trouble = undefined;
      return answer;
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'STATE') throw error;
      this.#trouble = error.message;
      throw new StoreAway(error);
    }
  }

  #tell(partition: number, outcome: CheckpointEvent['outcome'], error?: Error): void {
    this.events$.next({
      partition,
      outcome,
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** The store itself failed, so the request can be retried. */
class StoreAway extends Error {
  override readonly cause: UnskewError;

  constructor(cause: UnskewError) {
    super(cause.message);
    this.cause = cause;
  }
}
