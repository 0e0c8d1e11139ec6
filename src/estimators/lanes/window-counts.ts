import { UNRANKED, type WindowPart } from '../../state/panes/window-part.js';
import type { ModelSummary } from '../results/estimate.js';
import type { WindowEstimates } from '../results/window-estimates.js';
import { estimatorOf } from '../rules/registry.js';
import type { Lane } from './lane.js';
import type { LaneJob } from './lane-job.js';
import { LaneRows, Selection } from './selection.js';
import { type StratumCells, stratumCells, sumCells } from './stratum-cells.js';
import { type Chunk, chunks } from './weigh-pass.js';

/** Number of rows of each lane by cell of `stratumCells`. */
class CellRows {
  readonly #ofItem: Int32Array;
  /** Counts by cell from chunks in which all lanes have the same rows. */
  readonly #common: Float64Array;
  /** Counts by lane and cell from chunks in which not all lanes have the same rows. */
  readonly #own: readonly Float64Array[];

  constructor({ ofItem, weight }: StratumCells, lanes: number) {
    this.#ofItem = ofItem;
    this.#common = new Float64Array(weight.length);
    this.#own = Array.from({ length: lanes }, () => new Float64Array(weight.length));
  }

  /** Count the rows of a chunk for some lanes. @param lanes their indices */
  add({ item, rows }: Selection, lanes: readonly number[]): void {
    const into =
      lanes.length === this.#own.length ? [this.#common] : lanes.map((l) => this.#own[l]);
    for (const cells of into) {
      for (let i = 0; i < rows; i++) {
        cells[this.#ofItem[item[i]]]++;
      }
    }
  }

  of(lane: number): Float64Array {
    return this.#own[lane].map((rows, cell) => rows + this.#common[cell]);
  }
}

/** Counts of one model's rows in a window. */
interface ModelCounts {
  users: number;
  events: number;
  unranked: number;
  singletons: number;
}

/** Counts of a window before weighting. */
export class WindowCounts {
  private interactions = 0;
  private positives = 0;
  private users = 0;
  /** 1 for each item with a row in the window. */
  readonly seen: Uint8Array;
  private readonly models: ModelCounts[];

  constructor(items: number, models: number) {
    this.seen = new Uint8Array(items);
    this.models = Array.from({ length: models }, () => ({
      users: 0,
      events: 0,
      unranked: 0,
      singletons: 0,
    }));
  }

  /**
   * Count the rows of a chunk.
   *
   * @param rows the positive rows that are evaluated. @param rankedThroughout models that rank all
   * of these rows.
   */
  add(chunk: Chunk, rows: Selection, rankedThroughout: ReadonlySet<number>): void {
    const part = rows.part!;
    this.addPairs(part, chunk);
    const singletons = rows.singletons();
    this.models.forEach((total, m) => {
      if (rankedThroughout.has(m)) {
        total.users += rows.users;
        total.events += rows.rows;
        total.singletons += singletons;
      } else {
        this.addModel(m, part.ranks[m], rows);
      }
    });
  }

  /** Count only the (user, item) pairs of a chunk, from any traffic. */
  addPairs(part: WindowPart, { from, to }: Chunk): void {
    const { userStart } = part;
    for (let s = from; s < to; s++) {
      if (userStart[s + 1] > userStart[s]) {
        this.users++;
      }
    }
    this.interactions += userStart[to] - userStart[from];
    this.addRows(part, userStart[from], userStart[to]);
  }

  private addRows(part: WindowPart, from: number, to: number): void {
    const { seen } = this;
    const { item, positive } = part;
    let positives = 0;
    for (let r = from; r < to; r++) {
      positives += positive[r];
      if (item[r] >= seen.length) throw new RangeError(`item ${item[r]} has no count`);
      seen[item[r]] = 1;
    }
    this.positives += positives;
  }

  private addModel(model: number, ranks: Uint16Array, rows: Selection): void {
    const total = this.models[model];
    const { start, row } = rows;
    let unranked = 0;
    for (let u = 0; u < rows.users; u++) {
      let events = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        if (ranks[row[i]] === UNRANKED) {
          unranked++;
        } else {
          events++;
        }
      }
      if (events > 0) {
        total.users++;
      }
      if (events === 1) {
        total.singletons++;
      }
      total.events += events;
    }
    total.unranked += unranked;
  }

  summaries(models: readonly string[]): ModelSummary[] {
    return this.models.map(({ users, events, unranked, singletons }, m) => ({
      model: models[m],
      users,
      events,
      unranked,
      singletonUserRatio: users === 0 ? 0 : singletons / users,
    }));
  }

  totals(): Omit<WindowEstimates['counts'], 'repeatedPositives'> {
    return {
      interactions: this.interactions,
      positives: this.positives,
      users: this.users,
      items: this.seen.reduce((items, is) => items + is, 0),
      unranked: this.models.reduce((sum, { unranked }) => sum + unranked, 0),
    };
  }
}

/**
 * First pass over the rows of a window: count them, and sum every lane's rows by stratum if an
 * estimator needs it.
 *
 * @returns zeros if no counts are needed.
 */
export function countWindow(job: LaneJob, lanes: readonly Lane[]): WindowCounts {
  const { part, columns, models, options, isUnsummarised = false } = job;
  const sumsStrata = options.estimators.some((name) => estimatorOf(name).needs.strata);
  const counts = new WindowCounts(columns.weight.length, models.length);
  if (isUnsummarised && !sumsStrata) return counts;
  const cells = sumsStrata ? stratumCells(columns) : null;
  const rows = cells && new CellRows(cells, lanes.length);
  const positive = new Selection();
  const laneRows = new LaneRows();
  for (const chunk of chunks(part)) {
    const { from, to } = chunk;
    positive.takePositive(part, from, to, columns.weight);
    laneRows.begin(positive);
    const rankedThroughout = new Set<number>();
    const withAll: number[] = [];
    for (const [l, lane] of lanes.entries()) {
      const ranked = laneRows.of(part, lane, options.catalogueSize);
      if (ranked === positive) {
        rankedThroughout.add(lane.model);
        withAll.push(l);
      } else {
        rows?.add(ranked, [l]);
      }
    }
    rows?.add(positive, withAll);
    if (!isUnsummarised) {
      counts.add(chunk, positive, rankedThroughout);
    }
  }
  for (const [l, { strata }] of rows === null ? [] : lanes.entries()) {
    sumCells(cells!, rows!.of(l), strata);
    strata.settle();
  }
  return counts;
}

/**
 * Count the (user, item) pairs of a window from any traffic, for a window whose organic and
 * randomised rows are evaluated separately.
 */
export function countPairs(part: WindowPart, items: number): WindowCounts {
  const counts = new WindowCounts(items, 0);
  for (const chunk of chunks(part)) {
    counts.addPairs(part, chunk);
  }
  return counts;
}
