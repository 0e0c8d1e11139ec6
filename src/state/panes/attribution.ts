import type { ActionWorths } from '../../events/action-worths.js';
import {
  EARNS,
  HAS_PROPENSITIES,
  HAS_SCORES,
  LATE,
  NAMES_DRAWN,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  RATED,
  SHOWN,
} from '../../events/columns.js';
import { MISSING } from '../../events/dimensions.js';
import { SegmentCodes } from '../../events/segment-table.js';
import type { Column } from '../binary/binary-writer.js';
import type { UserDepths } from '../ids/user-depths.js';
import type { OpenRequests } from '../requests/open-requests.js';
import {
  type EarningAction,
  type ExperimentEvents,
  ExperimentRecorder,
} from './experiment-events.js';
import type { ListStore } from './lists.js';
import type { OpenPane, PendingInteractions } from './open-pane.js';
import type { SampledOut } from './pane-content.js';
import type { PaneRows } from './pane-rows.js';
import { isChance, type PaneTallies } from './pane-tallies.js';
import type { PendingExposures } from './pending-exposures.js';
import type { PopularInteractions } from './popular-interactions.js';
import { CAUSED_ELSEWHERE, FollowUps, type RowCauses } from './row-causes.js';
import type { RowRatings } from './row-ratings.js';
import type { SegmentNames } from './row-segments.js';
import { LISTED_ELSEWHERE, type ServedLists, ServedListsBuilder } from './served-lists.js';
import type { UserSegments } from './user-segments.js';
import { NOT_IN_LIST, UNRANKED } from './window-part.js';

/**
 * Records the shown lists of a closing pane, and the reward that each interaction adds to its
 * attributed list. Unless rewards are event values, an item of a list is rewarded once, by its most
 * valuable action: a second click adds nothing, and a purchase after a click adds the difference.
 * If rewards are event values, the values of all events are added.
 */
class ServedTally {
  readonly #worths: ActionWorths;
  readonly #isByValue: boolean;
  readonly #lists: ListStore;
  readonly #served = new ServedListsBuilder();

  constructor(worths: ActionWorths, lists: ListStore, by: EarningAction['by'] | undefined) {
    this.#worths = worths;
    this.#isByValue = by === 'value';
    this.#lists = lists;
  }

  /** Record exposure r as a shown list, unless it is late or was not shown. */
  expose({ flags, user, model, ts }: PendingExposures, r: number): void {
    if ((flags[r] & (SHOWN | LATE)) !== SHOWN) return;
    this.#served.list(user[r], model[r], (flags[r] & RANDOMIZED) !== 0, ts[r]);
  }

  /**
   * Credit interaction r to its attributed list. The interaction must not be late, and every
   * earlier list must be in the list store.
   *
   * @returns the reward added to the attributed list.
   */
  credit(from: PendingInteractions, r: number): number {
    if (this.#isByValue) return this.#creditValue(from, r);
    const named = POSITIVE | NAMES_EXPOSURE;
    if ((from.flags[r] & named) !== named) return 0;
    const { worths } = this.#worths;
    // Pending interactions have the code plus one.
    const own = this.#worths.classOf((from.action[r] ?? 0) - 1);
    const { user, item, exposureHigh, exposureLow, ts } = from;
    const lists = this.#lists;
    const asked = [exposureHigh[r], exposureLow[r], user[r], item[r], ts[r]] as const;
    const before = lists.credit(...asked, own);
    if (before === HIDDEN) return 0;
    if (before === UNKNOWN) {
      this.#served.reward(user[r], LISTED_ELSEWHERE, false, ts[r], worths[own]);
      return 0;
    }
    if (own <= before) return 0;
    const more = worths[own] - worths[before];
    this.#served.reward(user[r], lists.creditedModel, lists.isRandomized, lists.ts, more);
    return more;
  }

  #creditValue(from: PendingInteractions, r: number): number {
    const { user, item, exposureHigh, exposureLow, ts, flags, amount } = from;
    if ((flags[r] & NAMES_EXPOSURE) === 0 || (flags[r] & EARNS) === 0) return 0;
    const lists = this.#lists;
    const named = [exposureHigh[r], exposureLow[r], user[r], item[r], ts[r]] as const;
    const found = lists.credit(...named, 0);
    if (found === HIDDEN) return 0;
    if (found === UNKNOWN) {
      this.#served.reward(user[r], LISTED_ELSEWHERE, false, ts[r], amount[r]);
      return 0;
    }
    this.#served.reward(user[r], lists.creditedModel, lists.isRandomized, lists.ts, amount[r]);
    return amount[r];
  }

  /** Return the recorded lists and rewards; undefined if there are none. */
  build(): ServedLists | undefined {
    return this.#served.build();
  }
}

/**
 * Results of `ListStore.credit` if no list is credited: `UNKNOWN` if the list is not found or lacks
 * the item, `HIDDEN` if the list was not shown.
 */
const UNKNOWN = -1;
const HIDDEN = -2;

/** Result of attributing a pane's events, without the counts, which are added to `PaneTallies`. */
export interface Attributed {
  readonly rows: PaneRows | undefined;
  /** Served lists and their rewards; only if rewards of lists are needed. */
  readonly served?: ServedLists | undefined;
  /** Events for the A/B test, if one is analysed. */
  readonly experiment?: ExperimentEvents | undefined;
  /** Number of positive interactions for which no model had a list of the user. */
  readonly unranked: number;
  readonly sampledOut: SampledOut;
  /** Whether some randomised interaction could not be attributed to a logged randomised list. */
  readonly isPartlyLogged: boolean;
}

export const NOTHING_ATTRIBUTED: Attributed = {
  rows: undefined,
  unranked: 0,
  sampledOut: {
    interactions: 0,
    exposures: 0,
  },
  isPartlyLogged: false,
};

/** State of a partition that `attribute` reads and updates. */
export interface AttributionState {
  readonly lists: ListStore;
  readonly tallies: PaneTallies;
  readonly popular: PopularInteractions;
  /**
   * Sampling level: only users of at least this depth (see `depthOf`) get rows; 0 for all users.
   */
  readonly level: number;
  /** Depths of the partition's users; undefined if users are not sampled. */
  readonly depths: UserDepths | undefined;
  /** Number of rows between two yields. */
  readonly slice: number;
  /**
   * Whether each row records the model whose list led to the interaction, and the model whose list
   * the user was shown last (`RowCauses`).
   */
  readonly followsCauses: boolean;
  /** Rewards of actions; undefined if rewards of lists are not needed. */
  readonly worths?: ActionWorths | undefined;
  /** Rewards of the A/B test; undefined if no test is analysed. */
  readonly experiment?: ExperimentState | undefined;
  /** Requests that collect lists and rewards; undefined if not needed. */
  readonly requests?: OpenRequests | undefined;
  /** By user: number of interactions in the popularity horizon, without those of this pane. */
  readonly userCounts: Int32Array;
  /** Segment names and users' segments; undefined without dimensions. */
  readonly segments?:
    | {
        readonly here: SegmentNames;
        readonly users: UserSegments;
      }
    | undefined;
}

/** Rewards of all actions, and the rewarded action of the A/B test, if one is configured. */
export interface ExperimentState {
  readonly worths: ActionWorths;
  readonly earning: EarningAction | undefined;
  /** Whether shown lists and rewards are recorded for the test. */
  readonly isRecorded: boolean;
}

/**
 * Attribute the events of a pane, in order of event time, exposures before interactions of the same
 * millisecond. Stores the lists, counts every event, and turns each interaction that is not late
 * into a row with the rank of its item in each model's latest list for the user.
 */
export function* attribute(
  pane: number,
  open: OpenPane,
  state: AttributionState,
): Generator<void, Attributed> {
  const { lists, tallies, popular, level, depths, slice, followsCauses, worths } = state;
  const { interactions, exposures } = open.pending;
  const requests = state.requests?.begin(exposures) === true ? state.requests : undefined;
  const exposureOrder = exposures.order();
  yield;
  const order = interactions.order();
  yield;
  const { experiment } = state;
  const recorder = experiment?.isRecorded ? recorderOf(pane, experiment, state) : undefined;
  const tally = worths ?? experiment?.worths;
  const served = tally && new ServedTally(tally, lists, experiment?.earning?.by);
  const followUps = followsCauses ? new FollowUps(interactions) : undefined;
  const rows = new RowBuilder(pane, interactions.rows, lists, followUps, state.segments);
  const join = (r: number) => {
    const user = exposures.user[r];
    requests?.expose(exposures, r, (state.userCounts[user] ?? 0) + tallies.users.of(user));
  };
  let unranked = 0;
  let withoutRow = 0;
  let isPartlyLogged = false;
  let next = 0;
  for (let step = 0; step < order.length; step++) {
    if (step % slice === slice - 1) {
      yield;
    }
    const r = order[step];
    const ts = interactions.ts[r];
    while (next < exposureOrder.length && exposures.ts[exposureOrder[next]] <= ts) {
      expose(exposures, exposureOrder[next], lists, tallies);
      served?.expose(exposures, exposureOrder[next]);
      join(exposureOrder[next]);
      rows.hearExposure(exposures, exposureOrder[next]);
      recorder?.serve(exposures, exposureOrder[next]);
      next++;
      if (next % slice === 0) {
        yield;
      }
    }
    const flags = interactions.flags[r];
    const user = interactions.user[r];
    tallies.countInteraction(user, interactions.item[r], flags);
    const isLate = (flags & LATE) !== 0;
    if (isLate || (level > open.level && depths!.of(user) < level)) {
      tallies.countIfRandomized(interactions, r);
      if (popular.isSelective) {
        popular.take(user, interactions.item[r], flags);
      }
      if (!isLate) {
        withoutRow++;
      }
      continue;
    }
    if (!rows.add(interactions, r)) {
      unranked++;
    }
    if (popular.isSelective) {
      popular.take(user, interactions.item[r], rows.known(flags));
    }
    const more = served?.credit(interactions, r) ?? 0;
    recorder?.earn(interactions, r, more);
    requests?.credit(interactions, r);
    if (!rows.isRandomized) continue;
    tallies.countRandomized(user, interactions.item[r], flags);
    if (!rows.namesRandomized) {
      isPartlyLogged = true;
    }
  }
  while (next < exposureOrder.length) {
    expose(exposures, exposureOrder[next], lists, tallies);
    served?.expose(exposures, exposureOrder[next]);
    join(exposureOrder[next]);
    rows.hearExposure(exposures, exposureOrder[next]);
    recorder?.serve(exposures, exposureOrder[next]);
    next++;
    if (next % slice === 0) {
      yield;
    }
  }
  const sampledOut = {
    interactions: withoutRow + (open.sampledOut?.interactions ?? 0),
    exposures: open.sampledOut?.exposures ?? 0,
  };
  return {
    rows: rows.build(),
    served: worths && served?.build(),
    experiment: recorder?.build(),
    unranked,
    sampledOut,
    isPartlyLogged,
  };
}

function recorderOf(
  pane: number,
  { worths, earning }: ExperimentState,
  { lists, segments }: AttributionState,
): ExperimentRecorder {
  if (segments === undefined) return new ExperimentRecorder(worths, earning, lists);
  const { here, users } = segments;
  const row = here.dimensions.map(() => new Uint16Array(1));
  const codesOf = (user: number) => {
    for (const column of row) {
      column[0] = MISSING;
    }
    users.codesOf(pane, user, NOTHING_SAID, 0, row, 0);
    return row.map(([code]) => code);
  };
  return new ExperimentRecorder(worths, earning, lists, {
    dimensions: here.dimensions.map(({ name }) => name),
    names: here.names,
    codesOf,
  });
}

const NOTHING_SAID = new SegmentCodes();

/** Count exposure r, and add its list to the store unless it is late. */
function expose(from: PendingExposures, r: number, lists: ListStore, tallies: PaneTallies): void {
  tallies.countExposure(from, r);
  const flags = from.flags[r];
  if ((flags & LATE) !== 0) return;
  // Propensities of hidden or randomised lists are not those of the policy.
  const isLogged = isChance(flags) && (flags & HAS_PROPENSITIES) !== 0;
  lists.add(
    from.user[r],
    from.model[r],
    from.ts[r],
    from.idHigh[r],
    from.idLow[r],
    flags,
    from.candidates[r],
    from.items,
    from.listStart[r],
    from.listStart[r + 1],
    isLogged ? from.propensities : undefined,
    (flags & HAS_SCORES) !== 0 ? from.scores : undefined,
  );
}

/** Builds the rows of a pane: each interaction with the rank of its item in every model's list. */
class RowBuilder {
  length = 0;
  /** Whether the last row came from randomised traffic. */
  isRandomized = false;
  /** Whether the last row is attributed by id to a randomised list. */
  namesRandomized = false;
  /** Whether the last row has the id of a list that was not shown. */
  #namesHidden = false;
  readonly #pane: number;
  readonly #lists: ListStore;
  readonly #user: Int32Array;
  readonly #item: Int32Array;
  readonly #flags: Uint8Array;
  readonly #causes: RowCauses | undefined;
  readonly #followUps: FollowUps | undefined;
  #propensity: Float32Array | undefined;
  readonly #ranks: (Uint16Array | undefined)[] = [];
  readonly #codes: (Uint16Array | undefined)[] = [];
  /** Ratings by row; undefined before the first rating. */
  #rating: Float32Array | undefined;
  readonly #scores: (Float32Array | undefined)[] = [];
  readonly #segments: AttributionState['segments'];
  /** By segment dimension: code of each row. */
  readonly #segmentCodes: Uint16Array[] = [];

  constructor(
    pane: number,
    capacity: number,
    lists: ListStore,
    followUps: FollowUps | undefined,
    segments: AttributionState['segments'],
  ) {
    this.#followUps = followUps;
    this.#segments = segments;
    for (const _ of segments?.here.dimensions ?? []) {
      this.#segmentCodes.push(new Uint16Array(capacity));
    }
    this.#pane = pane;
    this.#lists = lists;
    this.#user = new Int32Array(capacity);
    this.#item = new Int32Array(capacity);
    this.#flags = new Uint8Array(capacity);
    if (followUps === undefined) return;
    this.#causes = {
      cause: new Uint16Array(capacity),
      served: new Uint16Array(capacity),
    };
  }

  /** Update the user's segment values from exposure r, unless it is late. */
  hearExposure(from: PendingExposures, r: number): void {
    if (this.#segments === undefined || (from.flags[r] & LATE) !== 0) return;
    this.#segments.users.hear(this.#pane, from.user[r], 'exposure', from.segments, r);
  }

  #divide(from: PendingInteractions, r: number, row: number): void {
    if (this.#segments === undefined) return;
    const { users } = this.#segments;
    const user = from.user[r];
    users.hear(this.#pane, user, 'interaction', from.segments, r);
    users.codesOf(this.#pane, user, from.segments, r, this.#segmentCodes, row);
  }

  /**
   * Add interaction r as a row.
   *
   * @returns false for a positive interaction without a list of any model.
   */
  add(from: PendingInteractions, r: number): boolean {
    const row = this.length++;
    const flags = from.flags[r];
    const user = from.user[r];
    const item = from.item[r];
    const ts = from.ts[r];
    this.#user[row] = user;
    this.#item[row] = item;
    this.#flags[row] = flags & ~EARNS;
    this.#divide(from, r, row);
    this.isRandomized = (flags & RANDOMIZED) !== 0;
    this.namesRandomized = false;
    this.#namesHidden = false;
    const lists = this.#lists;
    const isRated = (flags & RATED) !== 0;
    if (isRated) {
      this.#rate(row, from.rating[r]);
    }
    let named = -1;
    let ranked = false;
    let propensity = 0;
    let shownAt = Number.NEGATIVE_INFINITY;
    if ((flags & NAMES_EXPOSURE) !== 0) {
      named = lists.lookNamed(from.exposureHigh[r], from.exposureLow[r], user, item, ts);
      if (lists.isRandomized) {
        this.#flags[row] |= RANDOMIZED | NAMES_DRAWN;
        this.isRandomized = true;
        this.namesRandomized = true;
      }
      this.#namesHidden = named >= 0 && !lists.isShown;
      if (this.#namesHidden) {
        this.#flags[row] &= ~NAMES_EXPOSURE;
      }
      this.#noteCause(row, named, ts);
      if (named >= 0) {
        // The propensity is that of the attributed list, even if it has none.
        propensity = lists.propensity;
        shownAt = Number.POSITIVE_INFINITY;
        this.#column(named);
        this.#note(named, row, lists.code, lists.rank);
        if (isRated) {
          this.#predict(named, row, lists.score);
        }
        ranked = true;
      }
    } else if (this.#causes !== undefined) {
      this.#causes.cause[row] = this.#followUps!.causeOf(user, item, ts);
    }
    for (let model = 0; model < lists.modelCount; model++) {
      if (model === named) continue;
      if (lists.look(model, user, item, ts)) {
        if (isRated) {
          this.#predict(model, row, lists.score);
        }
        this.#column(model);
        ranked = true;
        if (lists.propensity > 0 && lists.ts >= shownAt) {
          // Of two lists at one time the larger counts, since model numbers are arbitrary.
          propensity =
            lists.ts > shownAt ? lists.propensity : Math.max(propensity, lists.propensity);
          shownAt = lists.ts;
        }
      } else if (this.#ranks[model] === undefined) {
        continue;
      }
      this.#note(model, row, lists.code, lists.rank);
    }
    if (this.#causes !== undefined) {
      this.#causes.served[row] = lists.served(user, ts) + 1;
    }
    if (propensity > 0) {
      this.#propensity ??= new Float32Array(this.#user.length);
      this.#propensity[row] = propensity;
    }
    return ranked || (flags & POSITIVE) === 0;
  }

  /**
   * Return the flags of the last row's interaction, as completed by attribution. `RANDOMIZED` is
   * set if the attributed list is randomised. `NAMES_EXPOSURE` is cleared if the attributed list
   * was not shown.
   */
  known(flags: number): number {
    const known = this.isRandomized ? flags | RANDOMIZED : flags;
    return this.#namesHidden ? known & ~NAMES_EXPOSURE : known;
  }

  /** Return the rows; undefined if there are none. */
  build(): PaneRows | undefined {
    const length = this.length;
    if (length === 0) return undefined;
    // If users are sampled, the columns are longer than needed.
    const cut = <T extends Column>(column: T) => cutTo(column, length);
    return {
      pane: this.#pane,
      length,
      user: cut(this.#user),
      item: cut(this.#item),
      flags: cut(this.#flags),
      propensity: this.#propensity && cut(this.#propensity),
      ...(this.#causes && {
        causes: {
          cause: cut(this.#causes.cause),
          served: cut(this.#causes.served),
        },
      }),
      ...this.#ratings(cut),
      ...(this.#segments && {
        segments: {
          dimensions: this.#segments.here.dimensions.map(({ name }) => name),
          names: this.#segments.here.names,
          codes: this.#segmentCodes.map(cut),
        },
      }),
      ranks: this.#ranks.map((column) => column && cut(column)),
      lists: this.#codes.map((column) => column && cut(column)),
    };
  }

  /**
   * Record the model of a row's attributed list as the cause of the row. Nothing is recorded if
   * that list was not shown.
   *
   * @param named model of the attributed list; −1 if the list is unknown.
   */
  #noteCause(row: number, named: number, ts: number): void {
    if (this.#causes === undefined || this.#namesHidden) return;
    const isElsewhere = named < 0 || this.#lists.rank === NOT_IN_LIST;
    const cause = isElsewhere ? CAUSED_ELSEWHERE : named + 1;
    this.#causes.cause[row] = cause;
    // Interactions with a randomised list are not caused by a policy.
    if (!this.isRandomized) {
      this.#followUps!.note(this.#user[row], this.#item[row], ts, cause);
    }
  }

  #rate(row: number, rating: number): void {
    this.#rating ??= new Float32Array(this.#user.length);
    this.#rating[row] = rating;
  }

  #predict(model: number, row: number, score: number): void {
    if (Number.isNaN(score)) return;
    while (this.#scores.length < model) {
      this.#scores.push(undefined);
    }
    this.#scores[model] ??= new Float32Array(this.#user.length).fill(Number.NaN);
    this.#scores[model][row] = score;
  }

  #ratings(cut: (column: Float32Array) => Float32Array): { readonly ratings?: RowRatings } {
    if (this.#rating === undefined) return {};
    const scores = this.#scores.map((column) => column && cut(column));
    return {
      ratings: {
        rating: cut(this.#rating),
        scores,
      },
    };
  }

  #note(model: number, row: number, code: number, rank: number): void {
    this.#codes[model]![row] = code;
    this.#ranks[model]![row] = rank;
  }

  #column(model: number): void {
    if (this.#ranks[model] !== undefined) return;
    while (this.#ranks.length < model) {
      this.#ranks.push(undefined);
      this.#codes.push(undefined);
    }
    this.#ranks[model] = new Uint16Array(this.#user.length).fill(UNRANKED);
    this.#codes[model] = new Uint16Array(this.#user.length);
  }
}

function cutTo<T extends Column>(column: T, length: number): T {
  return column.length === length ? column : (column.slice(0, length) as T);
}
