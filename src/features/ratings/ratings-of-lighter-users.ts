import type { RatedPart } from '../../state/panes/ratings/rated-part.js';
import { taken } from '../../state/panes/taken-rows.js';

/**
 * The ratings of users who have fewer interactions over the horizon than a limit; the very same part
 * if all have.
 */
export function ratingsOfLighterUsers(part: RatedPart, limit: number): RatedPart {
  const { users, start, userCount, learned } = part;
  if (!userCount.some((count) => count >= limit)) return part;
  const ends = [0];
  const kept: number[] = [];
  for (let s = 0; s < users; s++) {
    if (userCount[s] >= limit) continue;
    for (let r = start[s]; r < start[s + 1]; r++) kept.push(r);
    ends.push(kept.length);
  }
  const rows = Int32Array.from(kept);
  return {
    ...{ users: ends.length - 1, start: Int32Array.from(ends), offScale: part.offScale },
    user: part.user.filter((_, s) => userCount[s] < limit),
    userCount: userCount.filter((count) => count < limit),
    item: taken(part.item, rows),
    rating: taken(part.rating, rows),
    isRandom: taken(part.isRandom, rows),
    propensity: taken(part.propensity, rows),
    ...(learned && { learned: taken(learned, rows) }),
    ranks: part.ranks.map((column) => taken(column, rows)),
    scores: part.scores.map((column) => taken(column, rows)),
  };
}
