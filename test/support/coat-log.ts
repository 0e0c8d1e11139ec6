import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coatPart, halves, listFor, type Ratings, recallOf, type Scores } from './coat-rankers.js';

const START_MS = Date.UTC(2016, 0, 1);

/** Files of events, and each model's recall on the part of Coat whose items were drawn at random. */
export interface CoatLog {
  readonly train: string;
  readonly events: string;
  readonly truth: ReadonlyMap<string, number>;
}

/** Half of what users chose to rate trains, the other half is evaluated; the random part is truth. */
export function coatLog(
  folder: string,
  seed: number,
  rankers: (train: Ratings) => Readonly<Record<string, Scores>>,
  k: number,
): CoatLog {
  const [train, held] = halves(coatPart('train'), seed);
  const random = coatPart('test');
  const truth = new Map<string, number>();
  const exposed: object[] = [];
  for (const [model, scores] of Object.entries(rankers(train))) {
    const lists = train.map((_, user) => listFor(user, train, scores));
    truth.set(model, recallOf(lists, random, train, k));
    exposed.push(...exposures(model, lists));
  }
  const written = (name: string, events: readonly object[]) => {
    const path = join(folder, `${seed}-${name}.ndjson`);
    writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return path;
  };
  return {
    train: written('train', interactions('train', train, START_MS)),
    events: written('events', [...exposed, ...interactions('held', held, START_MS + 7_200_000)]),
    truth,
  };
}

function interactions(part: string, ratings: Ratings, fromMs: number): object[] {
  return ratings.flatMap((row, user) =>
    row.flatMap((value, item) => {
      const id = `${part}-${user}-${item}`;
      const ts = fromMs + user * 300 + item;
      const named = { user: `u${user}`, item: itemId(item) };
      return value === 0 ? [] : [{ type: 'interaction', id, ts, ...named, value }];
    }),
  );
}

function exposures(model: string, lists: readonly number[][]): object[] {
  return lists.map((list, user) => ({
    type: 'exposure',
    id: `${model}-${user}`,
    ts: START_MS + 3_600_000 + user,
    user: `u${user}`,
    model,
    items: list.map(itemId),
    shown: false,
    candidates: list.length,
  }));
}

function itemId(item: number): string {
  return `i${String(item).padStart(3, '0')}`;
}
