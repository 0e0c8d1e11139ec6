import { openLineWriter } from '../../adapters/files/line-writer.js';
import { encodeEvent } from '../../events/encode.js';
import type { CommandIo } from '../cli/io.js';
import { Turns } from './in-turns.js';
import { type LearnedModel, rankerOf } from './learned-model.js';
import { type AskedUser, topItems } from './ranker.js';
import type { RatingData } from './rating-log.js';
import { ratedBy, rowsByUser } from './rating-rows.js';

export interface ListOptions {
  readonly name: string;
  /** Maximum number of items in a list. */
  readonly length: number;
  /** Event time of the lists, ms. */
  readonly atMs: number;
  /**
   * Whether items that the user has already rated are ranked too, for domains with repeat
   * consumption.
   */
  readonly keepsRated?: boolean;
}

/** A user's best items and their scores, best first. */
export interface List {
  readonly items: readonly string[];
  readonly scores: readonly number[];
  /** Number of items that the list was ranked among. */
  readonly candidates: number;
}

/**
 * Write a list for each user with ratings, as an exposure event with `shown: false`. The file
 * appears complete under its name, or not at all.
 *
 * @param data ratings, with items numbered as in the model. @param weight 1 / P of each rating.
 * @returns number of lists. @throws UnskewError FILE if it cannot be written; INTERRUPTED
 */
export async function writeLists(
  path: string,
  model: LearnedModel,
  data: RatingData,
  weight: Float64Array,
  options: ListOptions,
  io: CommandIo,
): Promise<number> {
  const writer = await openLineWriter(path);
  const turns = new Turns('ranking', io);
  const listOf = lister(model, data, weight, options);
  let lists = 0;
  try {
    for (const [u, user] of data.users.entries()) {
      const list = listOf(u);
      if (list !== undefined) {
        await writer.write(encodeEvent(eventOf(list, user, lists++, options)));
      }
      await turns.after(u + 1, data.users.length);
    }
    await writer.close();
    return lists;
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    turns.stop();
  }
}

/** Convert a list to an exposure event with `shown: false`. */
function eventOf(
  list: List,
  user: string,
  number: number,
  { name, atMs }: Pick<ListOptions, 'name' | 'atMs'>,
) {
  const { items, candidates, scores } = list;
  return {
    type: 'exposure' as const,
    id: `${name}-${atMs}-${number}`,
    ts: atMs,
    user,
    model: name,
    items,
    shown: false,
    candidates,
    scores,
  };
}

/**
 * Create a function that computes the list of a user, given by number. It returns undefined for a
 * user who rated nothing, or everything.
 */
function lister(
  model: LearnedModel,
  { ratings, users }: RatingData,
  weight: Float64Array,
  options: Pick<ListOptions, 'length' | 'keepsRated'>,
): (user: number) => List | undefined {
  const listOf = listerByRated(model, options);
  const rows = rowsByUser(ratings);
  return (user) => {
    // Ratings are ordered by user, so those of a user are contiguous.
    const ownWeight = weight.subarray(rows.start[user], rows.start[user + 1]);
    return listOf(users[user], {
      ...ratedBy(rows, user),
      weight: ownWeight,
    });
  };
}

/** Ratings of one user, with the model's item numbers, and 1 / P of each rating. */
export type WeighedItems = Omit<AskedUser, 'known'>;

/**
 * Create a function that computes a user's list from the user's ratings. It returns undefined for a
 * user who rated nothing, or everything.
 */
export function listerByRated(
  model: LearnedModel,
  { length, keepsRated = false }: Pick<ListOptions, 'length' | 'keepsRated'>,
): (user: string, own: WeighedItems) => List | undefined {
  const ranker = rankerOf(model);
  const known = knownUsers(model);
  const scores = new Float64Array(model.items.length);
  const rated = new Uint8Array(model.items.length);
  return (user, own) => {
    const candidates = model.items.length - (keepsRated ? 0 : own.item.length);
    if (own.item.length === 0 || candidates === 0) return undefined;
    ranker.score(
      {
        ...own,
        known: known.get(user) ?? -1,
      },
      scores,
    );
    rated.fill(0);
    if (!keepsRated) {
      for (const item of own.item) {
        rated[item] = 1;
      }
    }
    const best = topItems(scores, length, rated);
    return {
      candidates,
      items: Array.from(best, (item) => model.items[item]),
      scores: Array.from(best, (item) => scores[item]),
    };
  };
}

/** Map from user id to the number of the user in the model; empty for models without users. */
function knownUsers({ learned }: LearnedModel): ReadonlyMap<string, number> {
  const users = learned.kind === 'user-knn' ? learned.users : [];
  return new Map(users.map((user, n) => [user, n]));
}
