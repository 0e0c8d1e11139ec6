import { enlarge, enlarged, keepRows, withColumns } from '../../events/column-table.js';
import {
  NAMES_DRAWN,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  SAMPLED,
} from '../../events/columns.js';
import type {
  FlagColumn,
  NumberColumn,
  NumbersColumn,
  TextColumn,
  TextsColumn,
} from '../../events/table-rows.js';
import { countsRandomizedApart } from '../../state/counts/popularity-rule.js';
import { type SparseCounts, Tally } from '../../state/counts/sparse-counts.js';
import { NONE_UNPLACED } from '../../state/ids/heard-models.js';
import type { Interner } from '../../state/ids/interner.js';
import { UserDepths } from '../../state/ids/user-depths.js';
import { windowPart } from '../../state/panes/group-by-user.js';
import { listCode } from '../../state/panes/list-segment.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { PaneTallies } from '../../state/panes/pane-tallies.js';
import { PopularInteractions } from '../../state/panes/popular-interactions.js';
import { CAUSED_ELSEWHERE } from '../../state/panes/row-causes.js';
import { depthCounts, levelWithin } from '../../state/panes/sample-level.js';
import {
  LISTED_ELSEWHERE,
  retainedServed,
  ServedListsBuilder,
} from '../../state/panes/served-lists.js';
import { LIST_LENGTH_MASK, NOT_IN_LIST, UNRANKED } from '../../state/panes/window-part.js';
import { followsCauses } from '../options.js';
import type { Outcomes } from '../outcomes.js';
import { KeptRows } from '../tick/kept-rows.js';
import type { Snapshot } from '../tick/snapshot.js';
import { needsKeys } from '../tick/tick.js';
import { type EvaluationOptions, evaluated, ruleOf } from './closed-evaluation.js';
import { type ClosedShard, EVENTS_PANE } from './evaluation-shard.js';
import { idAt, isSeedMeasure, UnsoundRow, unknownMeasure, wholeAt } from './row-cells.js';
import type { SeedColumns } from './seed.js';

/** A batch of rows of `unskew/rows@1` as columns, one row per interaction. */
export interface RowColumns {
  readonly length: number;
  readonly user: TextColumn;
  readonly item: TextColumn;
  readonly ts: NumberColumn;
  readonly positive: FlagColumn;
  readonly randomized: FlagColumn;
  /** Whether the interaction states the id of a randomised list. */
  readonly drawn: FlagColumn;
  /** Whether the interaction states the id of a list. */
  readonly named: FlagColumn;
  /**
   * Model whose list led to the interaction. Absent if no list did; an empty text if that list is
   * unknown or lacks the item.
   */
  readonly cause: TextColumn;
  readonly served: TextColumn;
  readonly propensity: NumberColumn;
  readonly models: TextsColumn;
  readonly ranks: NumbersColumn;
  readonly lengths: NumbersColumn;
  readonly candidates: NumbersColumn;
}

/**
 * A batch of served lists and their rewards: each row is either a list or a reward. The batch is
 * used only if the table has a column `reward`.
 */
export interface ListColumns {
  readonly length: number;
  readonly user: TextColumn;
  readonly model: TextColumn;
  readonly ts: NumberColumn;
  readonly drawn: FlagColumn;
  readonly reward: NumberColumn;
  /** Time of the row's own event, ms: of the list or of the reward. */
  readonly came: NumberColumn;
  /** Number of items in the list; 0 in the row of a reward. */
  readonly items: NumberColumn;
}

/** The tables of `unskew/rows@1`. */
export interface RowTables {
  readonly rows: RowColumns;
  readonly popularity: SeedColumns;
  readonly lists: ListColumns;
}

interface RowIds {
  readonly items: Interner;
  readonly models: Interner;
  readonly users: Interner;
}

/** Stored columns of interactions, except the ranks. */
const ROW = {
  user: { array: Int32Array },
  item: { array: Int32Array },
  flags: { array: Uint8Array },
  propensity: { array: Float32Array },
  cause: { array: Uint16Array },
  served: { array: Uint16Array },
} as const;

class Rows extends withColumns(ROW) {}

/** Rows in input order, with their times. */
export interface TimedRows extends Readonly<Rows> {
  readonly ts: Float64Array;
  /** Rank of the item in the list, for each model. */
  readonly ranks: readonly Uint16Array[];
  /** Code of the list to which the rank belongs, for each model; see `listCode`. */
  readonly lists: readonly Uint16Array[];
  /** Whether any row has a propensity. */
  readonly areLogged: boolean;
}

/** Measures that state one value for the whole window, instead of one per item or model. */
const TOTALS = ['random_users', 'random_items', 'reached_users'] as const;

/**
 * Evaluates interactions that were attributed elsewhere as one window, with the same state and tick
 * as an evaluation of events.
 *
 * The rows of a user must be in order of event time. Memory grows with the rows up to
 * `limits.rows`; above that users are sampled as for events.
 */
export class RowEvaluation {
  /** Rows behind the result; empty unless `keepsRows`. */
  readonly rows: KeptRows;
  readonly #options: EvaluationOptions;
  readonly #ids: RowIds;
  readonly #outcomes: Outcomes;
  readonly #tallies: PaneTallies;
  readonly #popular: PopularInteractions;
  readonly #depths: UserDepths;
  readonly #kept = new Rows(1024);
  readonly #ranks: Uint16Array[] = [];
  readonly #codes: Uint16Array[] = [];
  /** Event time of each stored row, ms; undefined if not needed. */
  #times: Float64Array | undefined;
  readonly #served = new ServedListsBuilder();
  readonly #totals = new Map<string, number>();
  readonly #reached = new Tally();
  /** Event time of the newest row, by user, ms. */
  #newest = new Float64Array(0);
  /**
   * Sampling level: rows of users with a smaller depth are dropped. The depth of a user is a number
   * drawn from the hash of the user's id.
   */
  #level = 0;
  #sampledOut = 0;
  #unranked = 0;
  #isLogged = false;
  /** Whether some randomised interactions do not state the id of a randomised list. */
  #isPartlyLogged = false;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  /**
   * Prepare an evaluation.
   *
   * @param outcomes receives the numbers of rows and lists
   */
  constructor(options: EvaluationOptions, ids: RowIds, outcomes: Outcomes) {
    const rule = ruleOf(options);
    this.#options = options;
    this.#ids = ids;
    this.#outcomes = outcomes;
    this.rows = new KeptRows(options.keepsRows ? Number.POSITIVE_INFINITY : 0);
    this.#tallies = new PaneTallies(countsRandomizedApart(rule));
    this.#popular = new PopularInteractions(rule, 1, this.#tallies);
    this.#popular.begin(EVENTS_PANE + 1);
    this.#depths = new UserDepths(ids.users);
    if (options.keepsTimes) {
      this.#times = new Float64Array(1024);
    }
  }

  /** All rows so far with their times; only valid if times are stored (`keepsTimes`). */
  get timed(): TimedRows {
    const { length, user, item, flags, propensity, cause, served } = this.#kept;
    return {
      length,
      user,
      item,
      flags,
      propensity,
      cause,
      served,
      ts: this.#times!,
      ranks: this.#ranks,
      lists: this.#codes,
      areLogged: this.#isLogged,
    };
  }

  /**
   * Add a batch of interactions.
   *
   * @throws UnsoundRow
   */
  addRows(rows: RowColumns): void {
    this.#reserve(this.#kept.length + rows.length);
    for (let r = 0; r < rows.length; r++) {
      this.#addRow(rows, r);
    }
    this.#outcomes.accepted += rows.length;
    const { rows: most } = this.#options.limits ?? { rows: Number.POSITIVE_INFINITY };
    if (this.#kept.length > most) {
      this.#rise(most);
    }
  }

  /**
   * Add a batch of counts of the table `popularity`.
   *
   * @throws UnsoundRow
   */
  addCounts({ length, measure, model, item, n }: SeedColumns): void {
    const tallies = this.#tallies;
    const names: string[] = [];
    for (let r = 0; r < length; r++) {
      const own = measure.at[r];
      if (own >= 0) {
        names[own] ??= measure.texts.string(own);
      }
      const name = own < 0 ? '' : names[own];
      // Without lists there is no first or last time.
      if (isSeedMeasure(name) || (n.isAbsent[r] === 1 && name.endsWith('_ts'))) continue;
      const count = wholeAt(n, r, 'n');
      const ofModel = () => this.#model(model, r);
      const ofItem = () => idAt(item, r, 'item', this.#ids.items);
      if (name === 'first_ts') {
        this.#from = Math.min(this.#from, count);
      } else if (name === 'last_ts') {
        this.#to = Math.max(this.#to, count);
      } else if (count < 0) {
        throw new UnsoundRow(r, 'n is below 0');
      } else if (count === 0) {
      } else if (name === 'exposures') {
        tallies.exposures(ofModel()).addTimes(ofItem(), count);
      } else if (name === 'listed') {
        tallies.listed.addTimes(ofItem(), count);
      } else if (name === 'reached') {
        this.#reached.addTimes(ofItem(), count);
      } else if (name === 'lists') {
        tallies.noteLists(ofModel(), count);
        this.#outcomes.accepted += count;
      } else if (TOTALS.some((known) => known === name)) {
        this.#totals.set(name, (this.#totals.get(name) ?? 0) + count);
      } else {
        throw unknownMeasure(name, r);
      }
    }
  }

  /**
   * Add a batch of served lists and rewards.
   *
   * @throws UnsoundRow
   */
  addLists({ length, user, model, ts, drawn, reward }: ListColumns): void {
    for (let r = 0; r < length; r++) {
      const who = idAt(user, r, 'user', this.#ids.users);
      const whose = model.at[r] < 0 ? LISTED_ELSEWHERE : this.#model(model, r);
      const at = wholeAt(ts, r, 'ts');
      const isDrawn = drawn.values[r] === 1;
      if (reward.isAbsent[r] === 1) {
        this.#served.list(who, whose, isDrawn, at);
      } else if (!(reward.values[r] >= 0)) {
        throw new UnsoundRow(r, 'reward is below 0');
      } else {
        this.#served.reward(who, whose, isDrawn, at, reward.values[r]);
      }
    }
  }

  /** Compute the result; to be called once. */
  result(): Snapshot {
    const { items, models, users } = this.#ids;
    const shard = this.#closed();
    return evaluated(
      {
        shards: [shard],
        span: {
          from: this.#from,
          to: this.#to,
        },
        models: shard.counts.events.listing,
        leftOut: undefined,
        isTrained: false,
        keysOf: () =>
          needsKeys(this.#options.estimates)
            ? Int32Array.from({ length: users.size }, (_, user) => users.hash(user))
            : undefined,
        nameOf: () => (user) => users.text(user),
      },
      {
        options: this.#options,
        ids: { items, models },
        rows: this.rows,
      },
    );
  }

  #addRow(rows: RowColumns, r: number): void {
    const { models, lengths, ranks, candidates } = rows;
    const user = idAt(rows.user, r, 'user', this.#ids.users);
    const item = idAt(rows.item, r, 'item', this.#ids.items);
    const ts = wholeAt(rows.ts, r, 'ts');
    this.#inOrder(user, ts, r);
    const isDrawn = isAt(rows.drawn, r, 'drawn');
    const isRandomized = isAt(rows.randomized, r, 'randomized') || isDrawn;
    this.#isPartlyLogged ||= isRandomized && !isDrawn;
    let flags = isRandomized ? RANDOMIZED : 0;
    if (isDrawn) {
      flags |= NAMES_DRAWN;
    }
    if (isAt(rows.positive, r, 'positive')) {
      flags |= POSITIVE;
    }
    if (isAt(rows.named, r, 'named')) {
      flags |= NAMES_EXPOSURE;
    }
    this.#tallies.countInteraction(user, item, flags);
    if (this.#popular.isSelective) {
      this.#popular.take(user, item, flags);
    }
    if (isRandomized) {
      this.#tallies.countRandomized(user, item, flags);
    }
    if (this.#level > 0 && this.#depths.of(user) < this.#level) {
      this.#sampledOut++;
      return;
    }
    const kept = this.#kept;
    const row = kept.length++;
    kept.user[row] = user;
    kept.item[row] = item;
    kept.flags[row] = flags;
    if (this.#times !== undefined) {
      this.#times[row] = ts;
    }
    // An absent propensity is stored as 0.
    const chance = rows.propensity.values[r];
    if (!(chance >= 0 && chance <= 1)) throw new UnsoundRow(r, `propensity ${chance}`);
    kept.propensity[row] = chance;
    this.#isLogged ||= kept.propensity[row] > 0;
    kept.cause[row] = this.#causeAt(rows.cause, r);
    kept.served[row] = rows.served.at[r] < 0 ? 0 : this.#model(rows.served, r) + 1;
    for (const column of this.#ranks) {
      column[row] = UNRANKED;
    }
    for (const column of this.#codes) {
      column[row] = 0;
    }
    const start = models.starts[r];
    const size = sizeAt(models, r);
    const isWhole = size >= 0 && sizeAt(ranks, r) === size && sizeAt(lengths, r) === size;
    if (!isWhole || sizeAt(candidates, r) !== size) {
      throw new UnsoundRow(r, 'models, ranks, lengths and candidates differ in length');
    }
    if (size === 0 && (flags & POSITIVE) !== 0) {
      this.#unranked++;
    }
    const rankAt = ranks.starts[r];
    const lengthAt = lengths.starts[r];
    const amongAt = candidates.starts[r];
    for (let n = 0; n < size; n++) {
      const model = this.#known(models.texts.idIn(this.#ids.models, models.at[start + n]), r);
      const length = lengths.values[lengthAt + n];
      const rank = ranks.values[rankAt + n];
      const among = candidates.values[amongAt + n];
      const isSound = length >= 1 && length <= LIST_LENGTH_MASK && rank >= 0 && rank <= length;
      if (!isSound || (among > 0 && among < length)) {
        throw new UnsoundRow(r, `rank ${rank} of ${length} items, ${among} candidates`);
      }
      this.#column(model);
      this.#ranks[model][row] = rank === 0 ? NOT_IN_LIST : rank - 1;
      this.#codes[model][row] =
        among < 0 ? listCode(length, length, SAMPLED) : listCode(length, among || -1, 0);
    }
  }

  #inOrder(user: number, ts: number, r: number): void {
    if (user >= this.#newest.length) {
      const before = this.#newest.length;
      this.#newest = enlarged(this.#newest, Math.max(1024, 2 * user));
      this.#newest.fill(Number.NEGATIVE_INFINITY, before);
    }
    if (ts < this.#newest[user]) {
      throw new UnsoundRow(
        r,
        'the row is older than the previous row of its user: sort by user and ts',
      );
    }
    this.#newest[user] = ts;
    if (ts < this.#from) {
      this.#from = ts;
    }
    if (ts > this.#to) {
      this.#to = ts;
    }
  }

  /**
   * The cause of a row: 0 if no list led to the interaction, otherwise the model plus one. An empty
   * text means that the list is unknown or lacks the item.
   */
  #causeAt(cause: TextColumn, r: number): number {
    const n = cause.at[r];
    if (n < 0) return 0;
    const isElsewhere = cause.texts.starts[n] === cause.texts.starts[n + 1];
    return isElsewhere ? CAUSED_ELSEWHERE : this.#model(cause, r) + 1;
  }

  #model(column: TextColumn, r: number): number {
    return this.#known(idAt(column, r, 'model', this.#ids.models), r);
  }

  #known(model: number, r: number): number {
    const { maxModels } = this.#options;
    if (model >= maxModels) {
      throw new UnsoundRow(r, `there are more models than models.max (${maxModels})`);
    }
    return model;
  }

  #column(model: number): void {
    while (this.#ranks.length <= model) {
      this.#ranks.push(new Uint16Array(this.#kept.user.length).fill(UNRANKED));
      this.#codes.push(new Uint16Array(this.#kept.user.length));
    }
  }

  #reserve(rows: number): void {
    if (rows <= this.#kept.user.length) return;
    const capacity = Math.max(rows, Math.ceil(1.5 * this.#kept.user.length));
    enlarge(ROW, this.#kept, capacity);
    if (this.#times !== undefined) {
      this.#times = enlarged(this.#times, capacity);
    }
    for (const columns of [this.#ranks, this.#codes]) {
      for (let m = 0; m < columns.length; m++) {
        columns[m] = enlarged(columns[m], capacity);
      }
    }
  }

  /** Raise the sampling level until the number of stored rows is within the limit. */
  #rise(most: number): void {
    const { user, length } = this.#kept;
    const counts = depthCounts();
    for (let r = 0; r < length; r++) {
      counts[this.#depths.of(user[r])]++;
    }
    this.#level = levelWithin(counts, most);
    const rows = new Int32Array(length);
    let size = 0;
    for (let r = 0; r < length; r++) {
      if (this.#isKept(user[r])) {
        rows[size++] = r;
      }
    }
    const places = rows.subarray(0, size);
    keepRows(ROW, this.#kept, places);
    for (const column of [...this.#ranks, ...this.#codes]) {
      for (let at = 0; at < size; at++) {
        column[at] = column[places[at]];
      }
    }
    this.#kept.length = size;
    this.#sampledOut += length - size;
  }

  #isKept(user: number): boolean {
    return this.#level === 0 || this.#depths.of(user) >= this.#level;
  }

  #closed(): ClosedShard {
    const { users, items } = this.#ids;
    const all = denseCounts(this.#tallies.users.drain(), users.size);
    const random = denseCounts(this.#tallies.randomizedUsers.drain(), users.size);
    this.#tallies.reached.drain();
    const sampledOut = {
      interactions: this.#sampledOut,
      exposures: 0,
    };
    const counts = this.#tallies.drain(this.#unranked, sampledOut, NONE_UNPLACED);
    const rows = this.#paneRows();
    const follows = followsCauses(this.#options);
    const lists = this.#served.build();
    const served = lists && retainedServed(lists, (user) => this.#isKept(user));
    const total = (name: (typeof TOTALS)[number]) => this.#totals.get(name) ?? 0;
    const closed = {
      rows: rows === undefined ? [] : [rows],
      randomizedTraffic: () => ({
        counts: random,
        users: total('random_users'),
        shown: this.#isPartlyLogged ? Number.NaN : total('random_items'),
      }),
      served: () => (follows && served !== undefined ? [served] : []),
      requests: [],
    };
    const reached = Float64Array.from(denseCounts(this.#reached.drain(), items.size));
    const reach = () => ({
      users: total('reached_users'),
      items: reached,
    });
    return {
      counts: {
        train: undefined,
        events: counts,
        users: all,
      },
      level: this.#level,
      part: (request, _level, keys) => {
        const keyOf = keys && ((user: number) => keys[user]);
        return windowPart(
          {
            closed,
            userCounts: all,
            keyOf,
            reach,
          },
          request,
        );
      },
    };
  }

  /** The stored rows as one pane; undefined if there are none. */
  #paneRows(): PaneRows | undefined {
    const { length, user, item, flags, propensity, cause, served } = this.#kept;
    if (length === 0) return undefined;
    return {
      pane: EVENTS_PANE,
      length,
      user,
      item,
      flags,
      ranks: this.#ranks,
      lists: this.#codes,
      propensity: this.#isLogged ? propensity : undefined,
      ...(followsCauses(this.#options) && { causes: { cause, served } }),
    };
  }
}

function denseCounts({ ids, counts }: SparseCounts, size: number): Int32Array {
  const dense = new Int32Array(size);
  for (let j = 0; j < ids.length; j++) {
    dense[ids[j]] = counts[j];
  }
  return dense;
}

/** Number of elements of the list in a row; −1 if it has a gap or is not a list. */
function sizeAt({ odd, starts }: TextsColumn | NumbersColumn, r: number): number {
  return odd.size > 0 && odd.has(r) ? -1 : starts[r + 1] - starts[r];
}

function isAt({ values }: FlagColumn, r: number, name: string): boolean {
  if (values[r] < 0) throw new UnsoundRow(r, `${name} is neither true nor false`);
  return values[r] === 1;
}
