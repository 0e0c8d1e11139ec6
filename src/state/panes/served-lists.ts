import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';

/** Value of `ServedLists.model` if the attributed list is unknown or lacks the item. */
export const LISTED_ELSEWHERE = 0x7fff;
/** Flag of `ServedLists.model`: the list is randomised. */
export const DRAWN_LIST = 0x8000;
/** Mask of the model in `ServedLists.model`, without `DRAWN_LIST`. */
export const SERVED_MODEL = 0x7fff;

/**
 * Rows of two kinds: shown lists, and interactions attributed to a list by id, each with the reward
 * that it adds to the list. Consumers sum over rows, so rows of several panes and partitions can be
 * concatenated. 23 bytes per row. Immutable.
 */
export interface ServedLists {
  readonly length: number;
  readonly user: Int32Array;
  /** Number or column of the model, with the flag `DRAWN_LIST`. */
  readonly model: Uint16Array;
  /**
   * Time at which the list was shown, ms. If an interaction's list is unknown or lacks the item,
   * this is the time of the interaction.
   */
  readonly shownAt: Float64Array;
  /** 1 if the row is a shown list, 0 if it is an interaction. */
  readonly lists: Uint8Array;
  /** Reward that an interaction adds to its list; 0 for a list. */
  readonly reward: Float64Array;
}

/** Builds a `ServedLists` row by row. */
export class ServedListsBuilder {
  #length = 0;
  #columns = columnsOf(64);

  list(user: number, model: number, isDrawn: boolean, shownAt: number): void {
    this.#add(user, isDrawn ? model | DRAWN_LIST : model, shownAt, 1, 0);
  }

  reward(user: number, model: number, isDrawn: boolean, shownAt: number, reward: number): void {
    this.#add(user, isDrawn ? model | DRAWN_LIST : model, shownAt, 0, reward);
  }

  /** Return the rows; undefined if there are none. */
  build(): ServedLists | undefined {
    const length = this.#length;
    if (length === 0) return undefined;
    const { user, model, shownAt, lists, reward } = this.#columns;
    return {
      length,
      user: user.slice(0, length),
      model: model.slice(0, length),
      shownAt: shownAt.slice(0, length),
      lists: lists.slice(0, length),
      reward: reward.slice(0, length),
    };
  }

  #add(user: number, model: number, shownAt: number, lists: number, reward: number): void {
    const at = this.#length++;
    if (at === this.#columns.user.length) {
      this.#columns = enlarged(this.#columns, 2 * at);
    }
    this.#columns.user[at] = user;
    this.#columns.model[at] = model;
    this.#columns.shownAt[at] = shownAt;
    this.#columns.lists[at] = lists;
    this.#columns.reward[at] = reward;
  }
}

/** Keep the served lists of some users; undefined if there are none. */
export function retainedServed(
  { length, user, model, shownAt, lists, reward }: ServedLists,
  isKept: (user: number) => boolean,
): ServedLists | undefined {
  const builder = new ServedListsBuilder();
  for (let r = 0; r < length; r++) {
    if (!isKept(user[r])) continue;
    const own = model[r] & SERVED_MODEL;
    const isDrawn = (model[r] & DRAWN_LIST) !== 0;
    if (lists[r] === 1) {
      builder.list(user[r], own, isDrawn, shownAt[r]);
    } else {
      builder.reward(user[r], own, isDrawn, shownAt[r], reward[r]);
    }
  }
  return builder.build();
}

/** Renumber the models; a model without a number becomes `LISTED_ELSEWHERE`. */
export function withModels(
  served: ServedLists,
  numberOf: (model: number) => number | undefined,
): ServedLists {
  const model = served.model.map((value) => {
    const own = value & SERVED_MODEL;
    if (own === LISTED_ELSEWHERE) return value;
    return (numberOf(own) ?? LISTED_ELSEWHERE) | (value & DRAWN_LIST);
  });
  return {
    ...served,
    model,
  };
}

/** Write in the format of `readServed`. */
export function writeServed(to: BinaryWriter, served: ServedLists, ids: Dictionaries): void {
  const { user, model, shownAt, lists, reward } = withModels(served, (own) =>
    ids.models.place(own),
  );
  to.column(user);
  to.column(model);
  to.column(shownAt);
  to.column(lists);
  to.column(reward);
}

export function readServed(from: BinaryReader, places: Places): ServedLists {
  const user = from.int32();
  const model = from.uint16();
  const shownAt = from.float64();
  const lists = from.uint8();
  const reward = from.float64();
  const written = {
    length: user.length,
    user,
    model,
    shownAt,
    lists,
    reward,
  };
  return withModels(written, (place) => places.models.id(place));
}

function columnsOf(capacity: number) {
  return {
    user: new Int32Array(capacity),
    model: new Uint16Array(capacity),
    shownAt: new Float64Array(capacity),
    lists: new Uint8Array(capacity),
    reward: new Float64Array(capacity),
  };
}

function enlarged(columns: ReturnType<typeof columnsOf>, capacity: number) {
  const larger = columnsOf(capacity);
  larger.user.set(columns.user);
  larger.model.set(columns.model);
  larger.shownAt.set(columns.shownAt);
  larger.lists.set(columns.lists);
  larger.reward.set(columns.reward);
  return larger;
}
