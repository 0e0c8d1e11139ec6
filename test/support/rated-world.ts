import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InteractionEvent } from '../../src/events/encode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { itemOf, userOf, writeWorld } from '../unit/commands/propensities/world.js';

const USERS = 60;
const ITEMS = 40;
const FIRST = 1_750_000_000_000;

/**
 * The world of ratings with lists that predict them, in `lists.ndjson`: `mean` says 3 of everything,
 * `red` likes red items.
 */
export function writeRatedWorld(folder: string): void {
  writeWorld(folder);
  const items = Array.from({ length: ITEMS }, (_, item) => itemOf(item));
  const lines = Array.from({ length: USERS }, (_, user) =>
    Object.entries({ mean: () => 3, red: (item: number) => (item % 4 === 0 ? 4 : 2.5) }).map(
      ([model, score]) =>
        encodeEvent({
          type: 'exposure',
          id: `${model}-${user}`,
          ts: FIRST - 1000 + user,
          model,
          items,
          user: userOf(user),
          scores: items.map((_, item) => score(item)),
        }),
    ),
  );
  writeFileSync(join(folder, 'lists.ndjson'), `${lines.flat().join('\n')}\n`);
}

/** Ratings of a file of the world. */
export function ratingsIn(
  folder: string,
  name: string,
): (InteractionEvent & { value: number; ts: number })[] {
  return readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
