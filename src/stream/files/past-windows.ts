import { enlarge, withColumns } from '../../events/column-table.js';
import { NAMES_DRAWN, NAMES_EXPOSURE, RANDOMIZED } from '../../events/columns.js';
import { bucketMs } from '../../state/counts/rolling-counts.js';
import { NO_COUNTS, Tally } from '../../state/counts/sparse-counts.js';
import { Interner } from '../../state/ids/interner.js';
import { NO_PANE_COUNTS, type RandomizedPane } from '../../state/panes/pane-content.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { FollowUps, type RowCauses, taken, UNCAUSED } from '../../state/panes/row-causes.js';
import { LISTED_ELSEWHERE, ServedListsBuilder } from '../../state/panes/served-lists.js';
import { followsCauses, type MonitorOptions } from '../options.js';
import { Outcomes } from '../outcomes.js';
import { Partitions } from '../panes/partitions.js';
import { runAtOnce } from '../sliced.js';
import { settledTogether } from '../tick/closed-pane.js';
import { evaluatedOf } from '../tick/evaluated-models.js';
import { Learned } from '../tick/learned.js';
import { dropPassedPanes, longestWindow } from '../tick/sample-limits.js';
import type { Snapshot } from '../tick/snapshot.js';
import { closedPartition, tick } from '../tick/tick.js';
import { tickWindows } from '../tick/tick-input.js';
import { idAt, UnsoundRow, wholeAt } from './row-cells.js';
import {
  type ListColumns,
  RowEvaluation,
  type RowTables,
  type TimedRows,
} from './row-evaluation.js';
import { pastStepMs, Seed } from './seed.js';

/** Stored columns of served lists and their rewards. A row is either a list or a reward. */
const LIST = {
  user: { array: Int32Array },
  model: { array: Uint16Array },
  ts: { array: Float64Array },
  /** Time of the row's own event, ms: of the list, or of the reward, which arrives later. */
  came: { array: Float64Array },
  isDrawn: { array: Uint8Array },
  /** Reward; NaN in the row of a list. */
  reward: { array: Float64Array },
  items: { array: Int32Array },
} as const;

class Lists extends withColumns(LIST) {}

/**
 * Computes past windows from tables of `unskew/rows@1`. The results are those of a service that had
 * read the log. In the tables, interactions are already attributed, and the counts of items and
 * users are given by time bucket.
 *
 * Users are not sampled and are identified by the ids in the tables. All rows and lists are held in
 * memory.
 */
export class PastWindows {
  readonly #options: MonitorOptions;
  readonly #asked: MonitorOptions;
  readonly #ids = {
    items: new Interner(),
    models: new Interner(),
    modelNames: new Interner(),
  };
  readonly #users = new Interner();
  readonly #rows: RowEvaluation;
  readonly #lists = new Lists(1024);
  readonly #seed: Seed;

  /**
   * Prepare past windows.
   *
   * @param options options of the service
   * @param asked those of the options that apply to rows
   */
  constructor(options: MonitorOptions, asked: MonitorOptions) {
    this.#options = {
      ...options,
      limits: undefined,
      pseudonyms: undefined,
    };
    this.#asked = {
      ...asked,
      limits: undefined,
      pseudonyms: undefined,
    };
    this.#seed = new Seed(this.#options);
    const ids = {
      ...this.#ids,
      users: this.#users,
    };
    this.#rows = new RowEvaluation(
      {
        ...this.#asked,
        keepsTimes: true,
      },
      ids,
      new Outcomes(),
    );
  }

  /**
   * Add a batch of interactions.
   *
   * @throws UnsoundRow
   */
  addRows(rows: RowTables['rows']): void {
    this.#rows.addRows(rows);
  }

  /**
   * Add a batch of counts of the table `popularity`.
   *
   * @throws UnsoundRow
   */
  addCounts(counts: RowTables['popularity']): void {
    this.#seed.add(counts);
  }

  /**
   * Add a batch of served lists and rewards.
   *
   * @throws UnsoundRow
   */
  addLists({ length, user, model, ts, drawn, reward, came, items }: ListColumns): void {
    const lists = this.#lists;
    const rows = lists.length + length;
    if (rows > lists.user.length) {
      enlarge(LIST, lists, Math.max(rows, 2 * lists.user.length));
    }
    for (let r = 0; r < length; r++) {
      const n = lists.length++;
      lists.user[n] = idAt(user, r, 'user', this.#users);
      lists.model[n] =
        model.at[r] < 0 ? LISTED_ELSEWHERE : idAt(model, r, 'model', this.#ids.models);
      lists.ts[n] = wholeAt(ts, r, 'ts');
      lists.came[n] = wholeAt(came, r, 'came');
      lists.items[n] = wholeAt(items, r, 'items');
      lists.isDrawn[n] = drawn.values[r] === 1 ? 1 : 0;
      lists.reward[n] = reward.isAbsent[r] === 1 ? Number.NaN : reward.values[r];
      if (lists.reward[n] < 0) throw new UnsoundRow(r, 'reward is below 0');
    }
  }

  /**
   * Compute the snapshots at regular steps, from the first step that ends at or after `since`. To
   * be called once.
   *
   * @param since event time, ms
   * @throws UnskewError FILE, in one clause, for counts of another format
   */
  *snapshots(since = Number.NEGATIVE_INFINITY): Generator<Snapshot, void> {
    this.#seed.check();
    const options = this.#options;
    const { tickMs } = options;
    const users = () => this.#users;
    const ids = {
      ...this.#ids,
      users,
    };
    const partitions = new Partitions(options, ids, 1);
    const { state, share } = partitions.of(0);
    const where = {
      partitions,
      ids,
      count: 1,
      keys: { partitionOf: () => 0 },
    };
    const plant = runAtOnce(this.#seed.planting([0], where));
    const panes = this.#panes();
    const longest = longestWindow(options) / tickMs;
    const stepMs = pastStepMs(options);
    const horizon = new Horizon(options);
    // Past windows have no verdicts and no alarms: beside γ nothing is learned from tick to tick.
    const learned = new Learned(this.#asked);
    let next = 0;
    const first = ((panes[0]?.pane ?? Number.POSITIVE_INFINITY) + 1) * tickMs;
    const from = Math.max(first, since);
    for (let to = Math.ceil(from / stepMs) * stepMs; to <= this.#seed.through; to += stepMs) {
      const pane = to / tickMs - 1;
      runAtOnce(plant(to));
      for (; next < panes.length && panes[next].pane <= pane; next++) {
        const { rows, served, randomized } = panes[next].make();
        const content = {
          pane: panes[next].pane,
          levels: {
            rows: 0,
            users: 0,
          },
          rows,
          served,
          randomized,
          users: NO_COUNTS,
          randomizedUsers: NO_COUNTS,
          counts: NO_PANE_COUNTS,
          models: new Map(),
        };
        if (rows !== undefined) {
          horizon.add(content.pane);
        }
        if (pane - content.pane <= longest) {
          state.closed.add(content, to);
        }
      }
      state.closed.advance(to);
      share.advance(to);
      state.closed.dropRowsBefore(pane - longest);
      const heard = [...state.models.values()].some(({ last }) => last === pane);
      if (!state.closed.isInWindow && !heard) continue;
      dropPassedPanes(state.closed, pane, options);
      const settled = settledTogether([]);
      const { models, leftOut } = evaluatedOf(pane, [state], settled, ids.models, options);
      const snapshot = tick({
        windows: tickWindows(pane, options),
        options: this.#asked,
        ids,
        models,
        leftOut,
        learned,
        partitions: [
          closedPartition(pane, this.#asked, {
            closed: state.closed,
            users: this.#users,
            reach: () => 'rows do not contain the reach of lists in a window',
          }),
        ],
        counted: {
          known: partitions.popularity,
          observed: partitions.popularity,
        },
        countedSince: horizon.since(to),
      });
      yield {
        ...snapshot,
        isBackfilled: true,
      };
    }
  }

  /** The panes that have rows or lists, oldest first; contents are made on demand. */
  #panes(): PastPane[] {
    const { tickMs } = this.#options;
    const rows = panesOf(this.#rows.timed.ts, this.#rows.timed.length, tickMs);
    const lists = panesOf(this.#lists.came, this.#lists.length, tickMs);
    const follows = followsCauses(this.#options);
    const none = new Int32Array(0);
    const panes = [...new Set([...rows.keys(), ...lists.keys()])].sort((a, b) => a - b);
    return panes.map((pane) => ({
      pane,
      make: () => {
        const own = rows.get(pane) ?? none;
        const shown = lists.get(pane) ?? none;
        const { timed } = this.#rows;
        return {
          rows: own.length === 0 ? undefined : paneRows(pane, timed, own, follows),
          served: follows ? servedIn(this.#lists, shown) : undefined,
          randomized: randomizedIn(timed, own, this.#lists, shown),
        };
      },
    }));
  }
}

/** Finds where the counts behind popularity start, to the precision of a time bucket. */
class Horizon {
  readonly #options: Pick<MonitorOptions, 'popularity' | 'tickMs'>;
  readonly #bucketMs: number;
  /** Ends of buckets with interactions, oldest first. */
  readonly #ends: number[] = [];

  constructor(options: Pick<MonitorOptions, 'popularity' | 'tickMs'>) {
    this.#options = options;
    this.#bucketMs = bucketMs(options.popularity.horizonMs, options.tickMs);
  }

  add(pane: number): void {
    const end = Math.ceil(((pane + 1) * this.#options.tickMs) / this.#bucketMs) * this.#bucketMs;
    if (this.#ends.at(-1) !== end) {
      this.#ends.push(end);
    }
  }

  /**
   * Start of the interactions that popularity counts at time `to`, event time, ms; Infinity if it
   * counts none, or without a horizon.
   */
  since(to: number): number {
    const { horizonMs } = this.#options.popularity;
    const oldest = this.#ends.find((end) => end > to - horizonMs) ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(horizonMs) ? oldest - this.#bucketMs : horizonMs;
  }
}

/** A pane of the past and how to make its content. */
interface PastPane {
  readonly pane: number;
  make(): {
    readonly rows: PaneRows | undefined;
    readonly served: ReturnType<ServedListsBuilder['build']>;
    readonly randomized: RandomizedPane;
  };
}

/** Group rows by the pane of their time, in their order. */
function panesOf(ts: Float64Array, length: number, paneMs: number): Map<number, Int32Array> {
  const sizes = new Map<number, number>();
  for (let r = 0; r < length; r++) {
    const pane = Math.floor(ts[r] / paneMs);
    sizes.set(pane, (sizes.get(pane) ?? 0) + 1);
  }
  const all = new Int32Array(length);
  const places = new Map<number, number>();
  let from = 0;
  for (const [pane, size] of sizes) {
    places.set(pane, from);
    from += size;
  }
  for (let r = 0; r < length; r++) {
    const pane = Math.floor(ts[r] / paneMs);
    const place = places.get(pane)!;
    all[place] = r;
    places.set(pane, place + 1);
  }
  return new Map(
    [...sizes].map(([pane, size]) => [
      pane,
      all.subarray(places.get(pane)! - size, places.get(pane)!),
    ]),
  );
}

function paneRows(
  pane: number,
  { user, item, flags, propensity, ranks, lists, ...timed }: TimedRows,
  rows: Int32Array,
  follows: boolean,
): PaneRows {
  const logged = taken(propensity, rows);
  return {
    pane,
    length: rows.length,
    user: taken(user, rows),
    item: taken(item, rows),
    flags: taken(flags, rows),
    propensity: logged.some((chance) => chance > 0) ? logged : undefined,
    ...(follows && {
      causes: causesIn(
        {
          user,
          item,
          flags,
          ...timed,
        },
        rows,
      ),
    }),
    ranks: ranks.map((column) => taken(column, rows)),
    lists: lists.map((column) => taken(column, rows)),
  };
}

/**
 * For each row of a pane: the model whose list led to the interaction. An interaction without a
 * list id is a follow-up if the user had a driven interaction with the same item before. In the
 * tables, a follow-up has the cause of the driven interaction, even from an earlier pane. Here the
 * causes of follow-ups are found again within the pane; `GroupedRows` finds them across panes.
 */
function causesIn(
  { user, item, flags, cause, served, ts }: Omit<TimedRows, 'ranks' | 'lists' | 'propensity'>,
  rows: Int32Array,
): RowCauses {
  const own = taken(cause, rows);
  const followUps = new FollowUps({
    flags: taken(flags, rows),
    user: taken(user, rows),
    item: taken(item, rows),
    length: rows.length,
  });
  for (let at = 0; at < rows.length; at++) {
    const r = rows[at];
    if (own[at] === UNCAUSED) continue;
    const names = (flags[r] & NAMES_EXPOSURE) !== 0;
    if (!names) {
      own[at] = followUps.causeOf(user[r], item[r], ts[r]);
    } else if ((flags[r] & RANDOMIZED) === 0) {
      followUps.note(user[r], item[r], ts[r], own[at]);
    }
  }
  return {
    cause: own,
    served: taken(served, rows),
  };
}

function servedIn(lists: Lists, rows: Int32Array): ReturnType<ServedListsBuilder['build']> {
  const built = new ServedListsBuilder();
  for (const r of rows) {
    const [user, model, isDrawn, ts] = [
      lists.user[r],
      lists.model[r],
      lists.isDrawn[r] === 1,
      lists.ts[r],
    ] as const;
    if (Number.isNaN(lists.reward[r])) {
      built.list(user, model, isDrawn, ts);
    } else {
      built.reward(user, model, isDrawn, ts, lists.reward[r]);
    }
  }
  return built.build();
}

/** Users and items that randomised traffic reached in a pane, from its rows and lists. */
function randomizedIn(
  { user, flags }: Pick<TimedRows, 'user' | 'flags'>,
  rows: Int32Array,
  lists: Lists,
  shown: Int32Array,
): RandomizedPane {
  const users = new Set<number>();
  const items = new Tally();
  let isPartlyLogged = false;
  for (const r of rows) {
    if ((flags[r] & RANDOMIZED) === 0) continue;
    users.add(user[r]);
    isPartlyLogged ||= (flags[r] & NAMES_DRAWN) === 0;
  }
  for (const r of shown) {
    if (lists.isDrawn[r] === 0 || !Number.isNaN(lists.reward[r])) continue;
    users.add(lists.user[r]);
    items.addTimes(lists.user[r], lists.items[r]);
  }
  return {
    users: Int32Array.from(users),
    shown: items.drain(),
    isPartlyLogged,
  };
}
