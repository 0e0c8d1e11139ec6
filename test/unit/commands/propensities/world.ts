import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { encodeEvent, type InteractionEvent } from '../../../../src/events/encode.js';

const USERS = 60;
const ITEMS = 40;

export const userOf = (user: number) => `u${String(user).padStart(2, '0')}`;
export const itemOf = (item: number) => `i${String(item).padStart(2, '0')}`;

/** The true propensity: young users rate red items more often, whatever their rating. */
export function chanceOf(user: number, item: number): number {
  return user % 2 === 0 && item % 4 === 0 ? 0.6 : 0.15;
}

/** A rating that is higher for red items. */
export function ratingOf(random: Random, item: number): number {
  return Math.min(5, 1 + random.below(4) + Number(item % 4 === 0));
}

/** Chosen and random ratings of the world, and its tables, in a folder. */
export function writeWorld(folder: string, seed = 1): void {
  const random = new Random(seed, 'world of ratings');
  const chosen: InteractionEvent[] = [];
  const drawn: InteractionEvent[] = [];
  for (let user = 0; user < USERS; user++) {
    for (let item = 0; item < ITEMS; item++) {
      const rating = ratingOf(random, item);
      const event = (part: string): InteractionEvent => ({
        type: 'interaction',
        id: `${part}-${user}-${item}`,
        action: 'rating',
        value: rating,
        ts: 1_750_000_000_000 + user * 1000 + item,
        user: userOf(user),
        item: itemOf(item),
      });
      if (random.next() < chanceOf(user, item)) chosen.push(event('c'));
      if (random.next() < 0.2) drawn.push(event('r'));
    }
  }
  const lines = (events: readonly InteractionEvent[]) =>
    events.map((event) => `${encodeEvent(event)}\n`).join('');
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  put('chosen.ndjson', lines(chosen));
  put('random.ndjson', lines(drawn));
  put('marked.ndjson', lines(drawn.map((event) => ({ ...event, randomized: true }))));
  put('reversed.ndjson', lines([...chosen].reverse()));
  const users = Array.from(
    { length: USERS },
    (_, u) => `${userOf(u)},${u % 2 === 0 ? 'young' : 'old'}`,
  );
  put('users.csv', `user,age\n${users.join('\n')}\n`);
  const items = Array.from({ length: ITEMS }, (_, i) =>
    JSON.stringify({ id: itemOf(i), red: i % 4 === 0, shade: `"${i % 3}"` }),
  );
  put('items.ndjson', `${items.join('\n')}\n`);
}
