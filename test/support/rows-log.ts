import { writeFile } from 'node:fs/promises';
import { mulberry32 } from '../bench/synthetic-log.js';
import { EVENT_COLUMNS } from './parquet-file.js';

const USERS = ['u1', "u'2", '__proto__', 'ü', 'u5'];
const ITEMS = ['i0', 'i"1', 'i2', 'ї', 'i4', 'i5'];
const MODELS = ['a', 'b', "c'"];
const MINUTE = 60_000;

/** Lists are this old at most: steps of events add up to it often. */
export const TTL_MINUTES = 40;

/** Interactions come at most this long before their attributed list. */
export const SKEW_MINUTES = 5;

type LogEvent = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly ts: number;
  readonly type: 'exposure' | 'interaction';
};

/**
 * Draws a log in which everything occurs that decides on rows: ties in time, events out of order,
 * repeated ones, lists at the edge of their time, of several users and models, hidden, drawn at
 * random, of samples, logged with propensities; interactions that name lists, known or not.
 */
export function drawnLog(seed: number): LogEvent[] {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  const one = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const chance = (p: number) => random() < p;
  const steps = [0, 0, 0, 1, 1, 5 * MINUTE, 20 * MINUTE, 30 * MINUTE, 30 * MINUTE + 1];
  const users = USERS.slice(0, 1 + below(USERS.length));
  const length = 30 + below(90);
  let ts = 1_700_000_000_000;
  const names = Array.from({ length }, (_, n) => `${one(['p', 'q', 'r'])}${n}`);
  const events: LogEvent[] = [];
  // Mostly one of the user's last lists, so that one is named more than once.
  const named = (user: string) => {
    const lists = events.filter((event) => event.type === 'exposure' && event['user'] === user);
    const last = lists.slice(-2).map(({ id }) => id);
    return one(chance(0.7) && last.length > 0 ? last : [...names, 'unknown']);
  };
  for (const id of names) {
    ts += one(steps);
    const user = one(users);
    if (chance(0.4)) {
      const items = ITEMS.filter(() => chance(0.5));
      if (items.length === 0) items.push(one(ITEMS));
      items.sort(() => random() - 0.5);
      const sampled = chance(0.15);
      const among = items.length + one([0, 0, 3]);
      events.push({
        type: 'exposure',
        id,
        ts,
        user,
        model: one(MODELS),
        items,
        ...(sampled || chance(0.5) ? { candidates: among } : {}),
        ...(sampled ? { sampled } : {}),
        ...(chance(0.3) ? { shown: false } : {}),
        ...(chance(0.2) ? { randomized: true } : {}),
        ...(chance(0.5) ? { propensities: items.map(() => (1 + below(16)) / 16) } : {}),
      });
      continue;
    }
    events.push({
      type: 'interaction',
      id,
      ts,
      user,
      item: one(ITEMS),
      ...(chance(0.5) ? { exposure: named(user) } : {}),
      ...(chance(0.6) ? { value: one([0, 0.5, 1, 5]) } : {}),
      ...(chance(0.5) ? { action: one(['view', 'click', 'purchase', "it's"]) } : {}),
      ...(chance(0.15) ? { randomized: true } : {}),
    });
  }
  // Models are numbered as they come, and the lower number settles a tie of propensities.
  const first = MODELS.map((model, n): LogEvent => {
    const list = { user: one(users), model, items: [one(ITEMS)], shown: false };
    return { type: 'exposure', id: `first${n}`, ts: 1_600_000_000_000, ...list };
  });
  const repeated = events.filter(() => chance(0.1));
  return [...first, ...inAnyOrder(events, random), ...repeated];
}

/** Those of one millisecond stay together, in the order of their ids. */
function inAnyOrder(events: readonly LogEvent[], random: () => number): LogEvent[] {
  const groups = new Map<number, LogEvent[]>();
  for (const event of events) groups.set(event.ts, [...(groups.get(event.ts) ?? []), event]);
  const places = [...groups.keys()].map((ts) => ({ ts, place: random() }));
  places.sort((a, b) => a.place - b.place);
  return places.flatMap(({ ts }) => groups.get(ts)!.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

/** Writes a log as lines of JSON. */
export async function writeLog(path: string, log: readonly LogEvent[]): Promise<void> {
  await writeFile(path, log.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** The tables of a team as views of such a file, for DuckDB. */
export function tablesOf(path: string): string {
  const { type: _, ...columns } = EVENT_COLUMNS;
  const types = Object.entries({ type: 'VARCHAR', ...columns }).map(
    ([name, type]) => `"${name}": '${type}'`,
  );
  const source = `read_json('${path}', format='newline_delimited', columns={${types.join(', ')}})`;
  return ['interaction', 'exposure']
    .map(
      (kind) =>
        `create or replace temp table ${kind}s as select * from ${source} where type = '${kind}'`,
    )
    .join('; ');
}
