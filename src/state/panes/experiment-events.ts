import type { ActionWorths } from '../../events/action-worths.js';
import {
  HAS_REQUEST,
  LATE,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
} from '../../events/columns.js';
import { GrowingColumn } from '../binary/growing-column.js';
import type { ListStore } from './lists.js';
import type { PendingInteractions } from './open-pane.js';
import type { PendingExposures } from './pending-exposures.js';
import type { RowSegments } from './row-segments.js';
import { NOT_IN_LIST } from './window-part.js';

/**
 * Value of `RewardColumns.model` if the interaction has no list id, or if its list is unknown or
 * was not shown.
 */
export const NO_LIST = 0xffff;

/**
 * Served lists and users' rewards, in order of event time: the input of an A/B test. Randomised,
 * hidden and late lists are not included. Immutable.
 */
export interface ExperimentEvents {
  readonly lists: ServedListColumns;
  readonly rewards: RewardColumns;
  /** Whether any positive interaction has an action other than a click. */
  readonly hasOtherActions: boolean;
}

/** Served lists, a row each. */
export interface ServedListColumns {
  readonly user: Int32Array;
  readonly ts: Float64Array;
  readonly model: Uint16Array;
  /** Assignment probability stated by the list; NaN if not stated. */
  readonly share: Float64Array;
  /** Segment values of the user when the list was served; undefined without dimensions. */
  readonly segments?: RowSegments | undefined;
}

/** Interactions that are positive or have a reward, a row each. */
export interface RewardColumns {
  readonly user: Int32Array;
  readonly ts: Float64Array;
  /** Reward of the interaction, whether or not it is attributed to a list. */
  readonly worth: Float64Array;
  /**
   * 1 if the interaction is positive. Positive interactions before the test are the user's history.
   */
  readonly isPositive: Uint8Array;
  /** Model of the attributed list, or `NO_LIST`. */
  readonly model: Uint16Array;
  /** Time at which the attributed list was served, ms; NaN without a list. */
  readonly listTs: Float64Array;
  /** 1 if the attributed list contains the item. */
  readonly isListed: Uint8Array;
  /**
   * Reward that the interaction adds to the attributed list; 0 if there is no such list or it lacks
   * the item. Unless the test rewards one action (`EarningAction`), only the best action on an item
   * counts.
   */
  readonly credit: Float64Array;
}

/**
 * The one action that the A/B test rewards, either by 1 per event (`count`) or by the event's value
 * (`value`). If none is configured, each positive interaction has the reward of its action.
 */
export interface EarningAction {
  readonly action: string;
  readonly by: 'count' | 'value';
}

/** Segment dimensions, and the current codes of a user. */
interface Dimensions extends Pick<RowSegments, 'dimensions' | 'names'> {
  codesOf(user: number): readonly number[];
}

/** Collects the A/B test events of one pane. */
export class ExperimentRecorder {
  readonly #worths: ActionWorths;
  readonly #by: EarningAction['by'] | undefined;
  readonly #lists = {
    user: new GrowingColumn(Int32Array),
    ts: new GrowingColumn(Float64Array),
    model: new GrowingColumn(Uint16Array),
    share: new GrowingColumn(Float64Array),
  };
  readonly #store: ListStore;
  readonly #dimensions: Dimensions | undefined;
  readonly #codes: readonly GrowingColumn<Uint16Array>[];
  readonly #rewards = {
    user: new GrowingColumn(Int32Array),
    ts: new GrowingColumn(Float64Array),
    worth: new GrowingColumn(Float64Array),
    isPositive: new GrowingColumn(Uint8Array),
    model: new GrowingColumn(Uint16Array),
    listTs: new GrowingColumn(Float64Array),
    isListed: new GrowingColumn(Uint8Array),
    credit: new GrowingColumn(Float64Array),
  };
  #hasOtherActions = false;

  /**
   * @param worths rewards of actions, including the rewarded action, if configured. @param lists of
   * the partition.
   */
  constructor(
    worths: ActionWorths,
    earning: EarningAction | undefined,
    lists: ListStore,
    dimensions?: Dimensions,
  ) {
    this.#worths = worths;
    this.#by = earning?.by;
    this.#store = lists;
    this.#dimensions = dimensions;
    this.#codes = (dimensions?.dimensions ?? []).map(() => new GrowingColumn(Uint16Array));
  }

  /** Add exposure r, unless it is late, randomised or was not shown. */
  serve(from: PendingExposures, r: number): void {
    const flags = from.flags[r];
    if ((flags & (SHOWN | LATE | RANDOMIZED)) !== SHOWN) return;
    const { user, ts, model, share } = this.#lists;
    user.push(from.user[r]);
    ts.push(from.ts[r]);
    model.push(from.model[r]);
    share.push((flags & HAS_REQUEST) === 0 ? Number.NaN : from.requests.share[r]);
    const codes = this.#dimensions?.codesOf(from.user[r]) ?? [];
    for (const [d, column] of this.#codes.entries()) {
      column.push(codes[d]);
    }
  }

  /**
   * Add interaction r if it is positive or has a reward. The interaction must not be late, and must
   * have been credited to its list before.
   *
   * @param more reward that the interaction added to its list
   */
  earn(from: PendingInteractions, r: number, more: number): void {
    const flags = from.flags[r];
    const isPositive = (flags & POSITIVE) !== 0;
    const worth = this.#worthOf(from, r, isPositive);
    if (!isPositive && worth === 0) return;
    if (isPositive && (from.action[r] ?? 0) !== 0) {
      this.#hasOtherActions = true;
    }
    const to = this.#rewards;
    const user = from.user[r];
    to.user.push(user);
    to.ts.push(from.ts[r]);
    to.worth.push(worth);
    to.isPositive.push(isPositive ? 1 : 0);
    const store = this.#store;
    const model =
      (flags & NAMES_EXPOSURE) === 0
        ? -1
        : store.lookNamed(
            from.exposureHigh[r],
            from.exposureLow[r],
            user,
            from.item[r],
            from.ts[r],
          );
    const isServed = model >= 0 && store.isShown;
    const isListed = isServed && store.rank !== NOT_IN_LIST;
    to.model.push(isServed ? model : NO_LIST);
    to.listTs.push(isServed ? store.listedAt : Number.NaN);
    to.isListed.push(isListed ? 1 : 0);
    to.credit.push(!isListed ? 0 : this.#by === undefined ? more : worth);
  }

  build(): ExperimentEvents {
    const { user, ts, model, share } = this.#lists;
    const rewards = this.#rewards;
    return {
      lists: {
        user: user.taken(),
        ts: ts.taken(),
        model: model.taken(),
        share: share.taken(),
        segments: this.#dimensions && {
          dimensions: this.#dimensions.dimensions,
          names: this.#dimensions.names,
          codes: this.#codes.map((column) => column.taken()),
        },
      },
      rewards: {
        user: rewards.user.taken(),
        ts: rewards.ts.taken(),
        worth: rewards.worth.taken(),
        isPositive: rewards.isPositive.taken(),
        model: rewards.model.taken(),
        listTs: rewards.listTs.taken(),
        isListed: rewards.isListed.taken(),
        credit: rewards.credit.taken(),
      },
      hasOtherActions: this.#hasOtherActions,
    };
  }

  #worthOf(from: PendingInteractions, r: number, isPositive: boolean): number {
    const code = (from.action[r] ?? 0) - 1;
    if (this.#by === undefined) {
      return isPositive ? this.#worths.worths[this.#worths.classOf(code)] : 0;
    }
    if (code !== this.#worths.earning) return 0;
    return this.#by === 'value' ? from.amount[r] : 1;
  }
}
