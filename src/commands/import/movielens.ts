import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import type { InteractionEvent } from '../../events/encode.js';
import { readPublished } from './csv.js';
import { ItemRatings, RANKER_MODELS } from './item-ratings.js';
import type { ModelLists } from './model-lists.js';
import type { ImportTask } from './task.js';
import { heldOut } from './task.js';

const DAY_MS = 86_400_000;
const MAX_SECONDS = 8_640_000_000_000;
/**
 * Damping of mean ratings: this many ratings at the overall mean are added to the ratings of each
 * movie. Most movies have few ratings, and the mean of a single rating must not lead the list.
 */
const MEAN_DAMPING = 5;

type Rating = InteractionEvent & {
  readonly ts: number;
  readonly value: number;
};

/**
 * Import MovieLens: `ratings.csv` with userId,movieId,rating,timestamp (seconds).
 *
 * Lists are prequential. At a user's first rating of a UTC day, both rankers rank the items that
 * any user had rated strictly before that second, except items that this user had rated. The lists
 * are shadow lists (`shown: false`), because no user saw them. MovieLens has no exposures, so γ
 * cannot be fitted on this data.
 *
 * A learned model's list uses the user's ratings before that second. The model makes lists only
 * after the end of its training data.
 *
 * A list is in the held-out part if at least one of the user's ratings of that day is held
 * out.
 */
export async function importMovieLens(task: ImportTask): Promise<void> {
  const ratings = await readRatings(join(task.dir, 'ratings.csv'));
  const isHeldOut = heldOut(ratings, task.split);
  const held = new Set(ratings.filter((_, i) => isHeldOut[i]).map(dayOf));
  const lists = new PrequentialLists(ratings, task.listLength, task.models);
  const days = new Set<string>();
  for (const [i, rating] of ratings.entries()) {
    lists.learnBefore(rating.ts);
    const day = dayOf(rating);
    if (!days.has(day)) {
      days.add(day);
      const part = held.has(day) ? 'events' : 'train';
      for (const list of lists.of(rating.user, rating.ts)) {
        await task.files.write(part, {
          ...list,
          id: `ml-${day}-${list.model}`,
        });
      }
    }
    await task.files.write(isHeldOut[i] ? 'events' : 'train', rating);
    task.onProgress(i + 1, ratings.length);
  }
}

/**
 * Makes the lists of rankers at a time that advances. Their statistics include all ratings before
 * that time (prequential).
 */
class PrequentialLists {
  /** Item ids in code-point order. */
  readonly #ids: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  readonly #ratings: ItemRatings;
  /** Ratings of each user by item. */
  readonly #own = new Map<string, Map<number, number>>();
  #learned = 0;

  constructor(
    private readonly events: readonly Rating[],
    private readonly listLength: number,
    private readonly models: ModelLists,
  ) {
    this.#ids = [...new Set(events.map(({ item }) => item))].sort();
    this.#index = new Map(this.#ids.map((id, i) => [id, i]));
    this.#ratings = new ItemRatings(this.#ids.length, MEAN_DAMPING);
  }

  /** Add all ratings strictly before `ts`, ms. */
  learnBefore(ts: number): void {
    for (; this.events[this.#learned].ts < ts; this.#learned++) {
      const { user, item, value } = this.events[this.#learned];
      const index = this.#index.get(item) as number;
      this.#ratings.add(index, value);
      const own = this.#own.get(user);
      if (own === undefined) {
        this.#own.set(user, new Map([[index, value]]));
      } else {
        own.set(index, value);
      }
    }
  }

  /** Compute the lists for a user; empty if there is no item to rank. */
  of(user: string, ts: number) {
    const own = this.#own.get(user);
    const candidates: number[] = [];
    for (let item = 0; item < this.#ids.length; item++) {
      if (this.#ratings.isRated(item) && !own?.has(item)) {
        candidates.push(item);
      }
    }
    if (candidates.length === 0) return [];
    const ranked = RANKER_MODELS.map((model) => ({
      model,
      candidates: candidates.length,
      items: this.#ratings.rank(model, candidates, this.listLength).map((item) => this.#ids[item]),
    }));
    const rated = new Map([...(own ?? [])].map(([item, value]) => [this.#ids[item], value]));
    return [...ranked, ...this.models.of(user, rated, ts)].map((list) => ({
      type: 'exposure' as const,
      ts,
      user,
      shown: false,
      ...list,
    }));
  }
}

/** Key of a user and a UTC day, for which each ranker makes one list. */
function dayOf(rating: { readonly user: string; readonly ts: number }): string {
  return `${rating.user}-${new Date(Math.floor(rating.ts / DAY_MS) * DAY_MS).toISOString().slice(0, 10)}`;
}

/** Read the ratings in time order; ratings of the same second keep their order in the file. */
async function readRatings(path: string) {
  const ratings: Rating[] = [];
  const seen = new Set<string>();
  await readPublished(path, ['userId', 'movieId', 'rating', 'timestamp'], (row) => {
    const user = row.text('userId');
    const item = row.text('movieId');
    const id = `ml-${user}-${item}`;
    if (seen.has(id)) {
      row.refuse(`user ${user} rated movie ${item} twice`);
    }
    seen.add(id);
    const value = row.number('rating', 0.5, 5);
    const seconds = row.number('timestamp', 0, MAX_SECONDS);
    if (!Number.isInteger(seconds)) {
      row.refuse('timestamp is not a whole number of seconds');
    }
    const ts = seconds * 1000;
    ratings.push({
      type: 'interaction',
      id,
      ts,
      user,
      item,
      action: 'rating',
      value,
    });
  });
  if (ratings.length === 0) throw new UnskewError('FILE', `${path}: there are no ratings`);
  return ratings.sort((a, b) => a.ts - b.ts);
}
