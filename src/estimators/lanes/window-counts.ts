import type { NumberCodec } from '../../state/binary/numbers.js';
import { UNRANKED, type WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import { addColumn, passFlags } from '../partitions/item-sums.js';
import { type ItemNames, NumberedSums, type Rounds } from '../partitions/rounds.js';
import type { ModelSummary } from '../results/estimate.js';
import type { WindowEstimates } from '../results/window-estimates.js';
import { estimatorOf } from '../rules/registry.js';
import type { Lane } from './lane.js';
import { type ItemColumns, LaneRows, Selection } from './selection.js';
import { type StratumCells, stratumCells, sumCells } from './stratum-cells.js';
import { chunks } from './weigh-pass.js';

const SHAPE = 0x7461_6c6c;

/**
 * What the counting pass finds among some users: how much there is, and the rows of each lane by cell
 * (`stratumCells`). Whole numbers, which merge in any order.
 */
class LaneTallies extends NumberedSums<LaneTallies> {
  readonly counts: WindowCounts;
  /** Of chunks in which all lanes have the same rows, and of the others by lane. */
  readonly #common: Float64Array;
  readonly #own: readonly Float64Array[];
  readonly #names: ItemNames | undefined;

  /** @param cells 0 where nobody asks for rows by cell. @param names needed for bytes alone. */
  constructor(counts: WindowCounts, lanes: number, cells: number, names: ItemNames | undefined) {
    super((SHAPE ^ Math.imul(cells + 1, 0x9e3779b1)) + lanes, 'any');
    this.counts = counts;
    this.#common = new Float64Array(cells);
    this.#own = Array.from({ length: lanes }, () => new Float64Array(cells));
    this.#names = names;
  }

  /** Counts the rows of a lane in a chunk; of all lanes where there is none. */
  add({ item, rows }: Selection, { ofItem }: StratumCells, lane?: number): void {
    const into = lane === undefined ? this.#common : this.#own[lane];
    for (let i = 0; i < rows; i++) into[ofItem[item[i]]]++;
  }

  /** Rows of a lane, by cell. */
  rowsOf(lane: number): Float64Array {
    return this.#own[lane].map((rows, cell) => rows + this.#common[cell]);
  }

  ofOthers(): LaneTallies {
    const cells = this.#common.length;
    return new LaneTallies(this.counts.ofOthers(), this.#own.length, cells, this.#names);
  }

  merge(others: LaneTallies): void {
    this.counts.merge(others.counts);
    addColumn(this.#common, others.#common);
    this.#own.forEach((own, l) => {
      addColumn(own, others.#own[l]);
    });
  }

  pass(through: NumberCodec): void {
    this.counts.pass(through);
    for (const column of [this.#common, ...this.#own]) through.numbers(column);
    passFlags(through, this.counts.seen, this.#names);
  }
}

const MODEL_COUNTS = ['users', 'events', 'unranked', 'singletons'] as const;

/** What a window holds, before any weighting. */
export class WindowCounts {
  private interactions = 0;
  private positives = 0;
  private users = 0;
  /** By item: 1 where it has a row. */
  readonly seen: Uint8Array;
  private readonly models: Record<(typeof MODEL_COUNTS)[number], number>[];

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
   * Counts the rows of users from .. to − 1.
   *
   * @param rows the positive ones that are evaluated. @param rankedThroughout models that are known
   * to rank all of these.
   */
  add(
    part: WindowPart,
    from: number,
    to: number,
    rows: Selection,
    rankedThroughout: ReadonlySet<number>,
  ): void {
    this.addPairs(part, from, to);
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

  /** Of other users. */
  ofOthers(): WindowCounts {
    return new WindowCounts(this.seen.length, this.models.length);
  }

  /** Takes the counts of other users. */
  merge(other: WindowCounts): void {
    for (let item = 0; item < this.seen.length; item++) this.seen[item] |= other.seen[item];
    this.interactions += other.interactions;
    this.positives += other.positives;
    this.users += other.users;
    this.models.forEach((total, m) => {
      const own = other.models[m];
      for (const count of MODEL_COUNTS) total[count] += own[count];
    });
  }

  /** Writes or reads them; `seen` has its own place in bytes, with the names of items. */
  pass(through: NumberCodec): void {
    this.interactions = through.number(this.interactions);
    this.positives = through.number(this.positives);
    this.users = through.number(this.users);
    for (const total of this.models) {
      for (const count of MODEL_COUNTS) total[count] = through.number(total[count]);
    }
  }

  /** Counts their pairs alone, of whatever traffic. */
  addPairs(part: WindowPart, from: number, to: number): void {
    const { userStart } = part;
    for (let s = from; s < to; s++) if (userStart[s + 1] > userStart[s]) this.users++;
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
        if (ranks[row[i]] === UNRANKED) unranked++;
        else events++;
      }
      if (events > 0) total.users++;
      if (events === 1) total.singletons++;
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
 * First pass: counts, and every lane's totals per stratum, if an estimator has to know them.
 *
 * @param isUncounted leaves the counts at 0: nobody asks for them. @param rounds bring the counts of all
 * partitions together.
 */
export function* countWindow(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  lanes: readonly Lane[],
  models: number,
  options: EstimateOptions,
  sliceRows: number,
  isUncounted = false,
  rounds: Rounds,
): Generator<void, WindowCounts> {
  const counts = new WindowCounts(columns.weight.length, models);
  const sumsStrata = options.estimators.some((name) => estimatorOf(name).needs.strata);
  if (isUncounted && !sumsStrata) return counts;
  const cells = sumsStrata ? yield* stratumCells(columns) : null;
  yield;
  const none = new LaneTallies(counts, lanes.length, cells?.weight.length ?? 0, rounds.names);
  const tallies = yield* rounds.gather(none, parts, (own, part) =>
    countPart(part, columns, lanes, cells, options, sliceRows, own),
  );
  if (cells !== null) {
    lanes.forEach((lane, l) => {
      sumCells(cells, tallies.rowsOf(l), lane.strata);
      lane.strata.settle();
    });
  }
  return isUncounted ? counts.ofOthers() : tallies.counts;
}

function* countPart(
  whole: WindowPart,
  columns: ItemColumns,
  lanes: readonly Lane[],
  cells: StratumCells | null,
  { catalogueSize }: EstimateOptions,
  sliceRows: number,
  tallies: LaneTallies,
): Generator<void, void> {
  const positive = new Selection();
  const laneRows = new LaneRows();
  const rankedThroughout = new Set<number>();
  const withAll: number[] = [];
  let work = 0;
  for (const { part, from, to } of chunks([whole])) {
    positive.takePositive(part, from, to, columns);
    laneRows.begin(positive);
    rankedThroughout.clear();
    withAll.length = 0;
    for (const [l, lane] of lanes.entries()) {
      const ranked = laneRows.of(part, lane, catalogueSize);
      if (ranked === positive) {
        rankedThroughout.add(lane.model);
        withAll.push(l);
      } else if (cells !== null) tallies.add(ranked, cells, l);
    }
    if (cells !== null) {
      if (withAll.length === lanes.length) tallies.add(positive, cells);
      else for (const l of withAll) tallies.add(positive, cells, l);
    }
    tallies.counts.add(part, from, to, positive, rankedThroughout);
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
}

/** Counts the pairs of a window whose rows are evaluated apart, by where they came from. */
export function* countPairs(
  parts: readonly WindowPart[],
  items: number,
  rounds: Rounds,
): Generator<void, WindowCounts> {
  const none = new LaneTallies(new WindowCounts(items, 0), 0, 0, rounds.names);
  const { counts } = yield* rounds.gather(none, parts, function* count(own, whole) {
    for (const { part, from, to } of chunks([whole])) {
      own.counts.addPairs(part, from, to);
      yield;
    }
  });
  return counts;
}
