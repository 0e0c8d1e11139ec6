import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { publishedData } from './published-data.js';

/** The ratings of MovieLens latest-small of at least some value; items by number, as published. */
export function movieLensRatings(least: number): Ratings {
  const lines = readFileSync(join(publishedData('ml-latest-small')!, 'ratings.csv'), 'utf8');
  const rows = lines.trim().split('\n').slice(1);
  const all = rows.map((line) => line.split(',').map(Number));
  const placeOf = (column: number) => {
    const ids = [...new Set(all.map((row) => row[column]))].sort((a, b) => a - b);
    return new Map(ids.map((id, place) => [id, place]));
  };
  const users = placeOf(0);
  const items = placeOf(1);
  const kept = all.filter(([, , rating]) => rating >= least);
  return {
    users: users.size,
    items: items.size,
    user: Int32Array.from(kept, ([user]) => users.get(user)!),
    item: Int32Array.from(kept, ([, item]) => items.get(item)!),
    rating: Float64Array.from(kept, ([, , rating]) => rating),
  };
}
