import { NOT_IN_LIST, type RatedPart, UNRANKED } from '../../src/state/panes/window-part.js';
import type { PlainRating } from '../oracle/rating-window.js';

/** Ratings as a partition has them; users in the order of their first rating. */
export function ratedPartOf(
  ratings: readonly PlainRating[],
  models = ratings[0]?.scores.length ?? 0,
): RatedPart {
  const users = [...new Set(ratings.map(({ user }) => user))];
  const rows = users.flatMap((user) => ratings.filter((row) => row.user === user));
  const ends = users.map((user) => rows.findLastIndex((row) => row.user === user) + 1);
  const columns = Array.from({ length: models }, (_, m) => m);
  return {
    users: users.length,
    start: Int32Array.from([0, ...ends]),
    user: Int32Array.from(users.keys()),
    userCount: Float64Array.from(users, (user) => rows.filter((row) => row.user === user).length),
    item: Int32Array.from(rows.keys()),
    rating: Float32Array.from(rows, ({ rating }) => rating),
    isRandom: Uint8Array.from(rows, ({ isRandom }) => (isRandom ? 1 : 0)),
    propensity: Float32Array.from(rows, ({ propensity }) => propensity),
    learned: Float64Array.from(rows, ({ learned }) => learned),
    ranks: columns.map((m) => Uint16Array.from(rows, ({ ranks }) => storedRank(ranks[m]))),
    scores: columns.map((m) => Float32Array.from(rows, ({ scores }) => scores[m])),
    offScale: 0,
  };
}

function storedRank(rank: number): number {
  if (Number.isNaN(rank)) return UNRANKED;
  return rank === Number.POSITIVE_INFINITY ? NOT_IN_LIST : rank - 1;
}
