import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import type { RatingsReport } from '../../src/features/ratings/rating-report.js';
import { type Event, smallOptions } from './log.js';
import { evaluated } from './request-events.js';

/** Ratings as matrices of users × items, 0 where there is none. */
export interface RatingLog {
  /** Those that users chose to give. */
  readonly chosen: readonly (readonly number[])[];
  /** Those of items that were drawn at random. */
  readonly random: readonly (readonly number[])[];
  /** The chance that a user was shown an item. */
  readonly propensities?: readonly (readonly number[])[];
  /** What each model predicts. */
  readonly models: Readonly<Record<string, (user: number, item: number) => number>>;
}

/** A list of all items by each model for each user, and then the ratings. */
export function ratingEvents({ chosen, random, propensities, models }: RatingLog): Event[] {
  const lists = Object.entries(models).flatMap(([model, predicted]) =>
    chosen.map((row, user): Event => {
      const items = row.map((_, item) => `i${item}`);
      const chances = propensities && { propensities: propensities[user] };
      return {
        type: 'exposure',
        id: `${model}-${user}`,
        ts: 1000 + user,
        user: `u${user}`,
        model,
        items,
        scores: row.map((_, item) => predicted(user, item)),
        ...chances,
      };
    }),
  );
  return [
    ...lists,
    ...rated(chosen, 'chosen', {}),
    ...rated(random, 'random', { randomized: true }),
  ];
}

function rated(
  matrix: readonly (readonly number[])[],
  name: string,
  flags: { readonly randomized?: boolean },
): Event[] {
  return matrix.flatMap((row, user) =>
    row.flatMap((value, item): Event[] => {
      const named = { user: `u${user}`, item: `i${item}`, value };
      const id = `${name}-${user}-${item}`;
      return value === 0 ? [] : [{ type: 'interaction', id, ts: 5000 + item, ...named, ...flags }];
    }),
  );
}

/** What an evaluation of the log says of its ratings. */
export async function ratingsOf(log: RatingLog, ratings: RatingOptions): Promise<RatingsReport> {
  const { estimates } = smallOptions();
  const few = { ...estimates, metrics: [], estimators: ['naive'] } as const;
  const options = smallOptions({ attributionTtlMs: 1e6, estimates: few, ratings });
  return (await evaluated(ratingEvents(log), options)).windows[0].ratings!;
}
