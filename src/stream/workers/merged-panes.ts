import { ALONE } from '../../estimators/partitions/rounds.js';
import { Popularity } from '../../state/counts/popularity.js';
import type { PaneCounts } from '../../state/panes/pane-content.js';
import type { OpenedCheckpoint } from '../checkpoint/checkpoint.js';
import { type ClosedPane, type SettledPane, settledTogether } from '../closed-pane.js';
import { type EvaluatedModels, evaluatedModels, evaluatedOf } from '../evaluated-models.js';
import { IdTables, idLimits, type References, type Sweep } from '../id-tables.js';
import { Learned, type LearnedState } from '../learned.js';
import { type Counted, Lookup } from '../lookup.js';
import { type MonitorOptions, popularityOptions } from '../options.js';
import type { ConcludedPanes } from '../ports.js';
import { closedPartition, tick } from '../tick.js';
import { tickWindows } from '../tick-input.js';
import { PartitionReplica } from './partition-replica.js';

/**
 * The closed panes of all partitions, in all workers, and the tick over them: the same counts,
 * rows and tick as those of one worker that reads everything, so the same numbers. Without I/O.
 *
 * A pane is concluded when every partition has closed it. Panes follow each other while a window
 * holds rows; over an empty stretch they jump.
 */
export class MergedPanes implements References {
  readonly #options: MonitorOptions;
  readonly #ids: IdTables;
  readonly #popularity: Popularity;
  readonly #learned: Learned;
  readonly #replicas: readonly PartitionReplica[];
  /** Answers for single items and users. */
  readonly lookup: Lookup;
  #concluded: ConcludedPanes;
  /** What lies before the start has been applied. */
  #isSettled = false;
  /** Panes through this one are closed in every partition. */
  #closedThrough = Number.NEGATIVE_INFINITY;

  private constructor(options: MonitorOptions, count: number, from: ConcludedPanes) {
    this.#options = options;
    this.#ids = new IdTables(idLimits(options));
    this.#popularity = new Popularity(popularityOptions(options));
    this.#learned = new Learned(options);
    const { gamma, drift } = from;
    this.#learned.resume({ ...from, gamma: gamma ?? undefined, drift: drift ?? undefined });
    this.#concluded = concludedAt(from, this.#learned.state);
    const { items, models, modelNames, users, byPartition, segments } = this.#ids;
    this.#replicas = Array.from({ length: count }, (_, partition) => {
      const ids = { items, models, modelNames, users: users(partition), segments };
      return new PartitionReplica(options, ids, this.#popularity);
    });
    this.lookup = new Lookup(this, items, byPartition, options, this.#learned.rows);
  }

  /**
   * @param checkpoints by partition, if there are any
   * @param concluded what was made of the panes so far; if that is older than the newest of the
   *   checkpoints, or nobody noted it, one worker alone has ticked the panes through that one
   */
  static *from(
    options: MonitorOptions,
    checkpoints: readonly (OpenedCheckpoint | undefined)[],
    concluded: ConcludedPanes | undefined,
  ): Generator<void, MergedPanes> {
    const alone = concludedByCheckpoints(checkpoints);
    const from = concluded && concluded.through >= alone.through ? concluded : alone;
    const merged = new MergedPanes(options, checkpoints.length, from);
    for (const [partition, checkpoint] of checkpoints.entries()) {
      if (checkpoint) yield* merged.#replicas[partition].restore(checkpoint);
    }
    return merged;
  }

  replica(partition: number): PartitionReplica {
    return this.#replicas[partition];
  }

  /** The same object until a pane is concluded: what the detectors have learned is long. */
  get concluded(): ConcludedPanes {
    return this.#concluded;
  }

  /** The counts of the panes that are concluded, over all partitions. */
  get counted(): Counted {
    return {
      popularity: this.#popularity,
      models: evaluatedModels(
        this.#replicas,
        this.#ids.models,
        this.#concluded.through,
        this.#options,
      ).models,
      users: new Map(this.#replicas.map(({ closed }, partition) => [partition, closed])),
    };
  }

  /** Takes the newest pane that every partition has closed and whose records are here. */
  advanceTo(pane: number): void {
    this.#closedThrough = Math.max(this.#closedThrough, pane);
  }

  /** Whether there is a pane to conclude. */
  get isDue(): boolean {
    const { through } = this.#concluded;
    return this.#isSettled ? this.#closedThrough > through : this.#closedThrough >= through;
  }

  /**
   * Concludes the next pane. The newest one that was concluded before this process came is ticked
   * once more, and gives what it gave.
   *
   * @returns undefined if there are panes with nothing in them, that no estimates are made of
   */
  *conclude(): Generator<void, ClosedPane | undefined> {
    if (!this.#isSettled) return yield* this.#settle();
    const pane = this.#hasRows ? this.#concluded.through + 1 : this.#nextPane;
    if (pane > this.#closedThrough) {
      this.#concluded = { ...this.#concluded, through: this.#closedThrough };
      return undefined;
    }
    const settled = yield* this.#apply(pane);
    return yield* this.#ticked(pane, settled);
  }

  /** A sweep that is due, to be run between two steps. */
  dueSweep(): Sweep | undefined {
    return this.#ids.dueSweep(this.#concluded.through * this.#options.tickMs, this);
  }

  *markUsers(partition: number, flags: Uint8Array): Generator<void, void> {
    yield* this.#replicas[partition].markUsers(flags);
  }

  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.#popularity.markItems(flags);
    for (const replica of this.#replicas) yield* replica.markItems(flags);
  }

  *markModelNames(): Generator<void, void> {}

  *markModels(flags: Uint8Array): Generator<void, void> {
    for (const replica of this.#replicas) replica.markModels(flags);
    yield;
  }

  *#settle(): Generator<void, ClosedPane | undefined> {
    this.#isSettled = true;
    const { through: pane, ticked } = this.#concluded;
    if (pane === Number.NEGATIVE_INFINITY) return undefined;
    yield* this.#apply(pane);
    if (ticked !== pane) return undefined;
    return yield* this.#ticked(pane, settledTogether([]));
  }

  *#apply(pane: number): Generator<void, SettledPane> {
    const settled: PaneCounts[] = [];
    for (const replica of this.#replicas) settled.push(...(yield* replica.apply(pane)));
    return settledTogether(settled);
  }

  *#ticked(pane: number, settled: SettledPane): Generator<void, ClosedPane> {
    const { models } = this.#ids;
    const evaluated = evaluatedOf(pane, this.#replicas, settled, models, this.#options);
    const { listsLeftOut } = evaluated;
    return { snapshot: yield* this.#tick(pane, settled, evaluated), ...settled, listsLeftOut };
  }

  *#tick(pane: number, { listing }: SettledPane, { models, leftOut }: EvaluatedModels) {
    const snapshot = yield* tick({
      windows: tickWindows(pane, this.#options),
      options: this.#options,
      ids: this.#ids,
      ...{ models, leftOut, listing },
      partitions: this.#replicas.map((replica) => closedPartition(pane, this.#options, replica)),
      counted: { known: this.#popularity, observed: this.#popularity },
      countedSince: Math.min(...this.#replicas.map(({ countedSince }) => countedSince)),
      learned: this.#learned,
      rounds: ALONE,
    });
    this.#concluded = concludedAt({ through: pane, ticked: pane }, this.#learned.state);
    return snapshot;
  }

  get #hasRows(): boolean {
    return this.#replicas.some(({ closed }) => closed.isInWindow);
  }

  get #nextPane(): number {
    return Math.min(...this.#replicas.map(({ nextPane }) => nextPane));
  }
}

function concludedAt(
  { through, ticked }: Pick<ConcludedPanes, 'through' | 'ticked'>,
  { gamma, drift, decision, withheld }: Omit<LearnedState, 'ticked'>,
): ConcludedPanes {
  const learned = { gamma: gamma ?? null, drift: drift ?? null, ...(withheld && { withheld }) };
  return { through, ticked, ...learned, ...(decision && { decision }) };
}

function concludedByCheckpoints(
  checkpoints: readonly (OpenedCheckpoint | undefined)[],
): ConcludedPanes {
  let found: ConcludedPanes = {
    through: Number.NEGATIVE_INFINITY,
    ticked: Number.NEGATIVE_INFINITY,
    gamma: null,
    drift: null,
  };
  for (const checkpoint of checkpoints) {
    if (checkpoint === undefined) continue;
    const { closedThrough: through, ticked = through, ...learned } = checkpoint.head.progress;
    if (through <= found.through) continue;
    // One that was ahead of this checkpoint has left a note, unless that is lost.
    found = concludedAt({ through, ticked: Math.min(ticked, through) }, learned);
  }
  return found;
}
