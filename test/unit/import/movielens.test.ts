import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsData, publishedData } from '../../support/published-data.js';
import { IS_LONG } from '../../support/repetitions.js';
import {
  type Event,
  type Exposure,
  type Interaction,
  imported,
  isExposure,
  isInTimeOrder,
  isInteraction,
} from './imported.js';

const day = (ts: number) => new Date(ts).toISOString().slice(0, 10);

/** The list as its definition says, from all ratings strictly before it. */
function slowList(ratings: Interaction[], { user, ts, model }: Exposure): string[] {
  const before = ratings.filter((rating) => rating.ts < ts);
  const own = new Set(before.filter((rating) => rating.user === user).map(({ item }) => item));
  const byItem = new Map<string, number[]>();
  for (const { item, value } of before) {
    const values = byItem.get(item);
    if (values === undefined) byItem.set(item, [value]);
    else values.push(value);
  }
  const overall = before.reduce((sum, { value }) => sum + value, 0) / before.length;
  const score = (values: number[]) =>
    model === 'popularity'
      ? values.filter((value) => value >= 4).length
      : (values.reduce((a, b) => a + b) + 5 * overall) / (values.length + 5);
  return [...byItem]
    .filter(([item]) => !own.has(item))
    .map(([item, values]) => ({ item, score: score(values) }))
    .sort((a, b) => b.score - a.score || (a.item < b.item ? -1 : 1))
    .map(({ item }) => item);
}

describe('a small ratings file', () => {
  let folder: string;
  const rows = [
    '2,10,4.5,86400',
    '1,10,5.0,86400',
    '1,9,2.0,86401',
    '3,10,3.0,172800',
    '3,9,4.0,172800',
    '2,9,4.0,172801',
    '1,11,5.0,172802',
    '2,11,1.0,259200',
  ];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ratings-'));
    // In another order than time, to be sorted; of the same second as they stand.
    const shuffled = [rows[6], rows[0], rows[3], rows[1], rows[4], rows[2], rows[7], rows[5]];
    writeFileSync(
      join(folder, 'ratings.csv'),
      ['userId,movieId,rating,timestamp', ...shuffled].join('\n'),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('becomes ratings in time order, and in file order within a second', async () => {
    const { events } = await imported('movielens', folder);
    const seen = events.filter(isInteraction).map((e) => [e.user, e.item, e.value, e.ts / 1000]);
    expect(seen.map(String)).toEqual(rows.map((row) => String(row.split(',').map(Number))));
    expect(isInTimeOrder(events)).toBe(true);
  });

  test('has lists once per user and day, from strictly earlier ratings', async () => {
    const { events } = await imported('movielens', folder);
    const lists = events.filter(isExposure).map((e) => [e.user, e.ts / 1000, e.model, e.items]);
    expect(lists).toEqual([
      // Nothing was rated before 86400, so the first two users have no lists on that day.
      ['3', 172800, 'popularity', ['10', '9']],
      ['3', 172800, 'mean-rating', ['10', '9']],
      // User 2 has rated 10; the ratings of 172800 count, no longer those of 172801.
      ['2', 172801, 'popularity', ['9']],
      ['2', 172801, 'mean-rating', ['9']],
      // User 1 has rated all that there is, and gets no list on the second day.
      // On the third day user 2 has only 11 left.
      ['2', 259200, 'popularity', ['11']],
      ['2', 259200, 'mean-rating', ['11']],
    ]);
  });

  test('is split by time without dividing a second', async () => {
    // Half of 8 is the fifth rating, whose second begins with the fourth.
    const { train, events } = await imported('movielens', folder, { apart: true, ratio: 0.5 });
    expect(train.map(({ ts }) => ts / 1000)).toEqual([86400, 86400, 86401]);
    expect(events.filter(isInteraction).length).toBe(5);
  });
});

const folder = publishedData('ml-latest-small');

describe('MovieLens latest-small', needsData('ml-latest-small'), () => {
  let part = '';
  let rows: string[] = [];
  // The short form has the ratings of one user in twenty.
  beforeAll(() => {
    part = mkdtempSync(join(tmpdir(), 'ratings-'));
    const lines = readFileSync(join(folder as string, 'ratings.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    rows = lines.slice(1).filter((line) => IS_LONG || Number.parseInt(line, 10) % 20 === 0);
    writeFileSync(join(part, 'ratings.csv'), [lines[0], ...rows].join('\n'));
  });
  afterAll(() => rmSync(part, { recursive: true }));

  test('has all ratings, and lists that match their definition', async () => {
    // What is beyond the fifth of a list is there in the long form.
    const listLength = IS_LONG ? 100 : 5;
    const { events } = await imported('movielens', part, { listLength });
    const ratings = events.filter(isInteraction);
    const lists = events.filter(isExposure);
    expect(ratings.length).toBe(rows.length);
    if (IS_LONG) expect(rows.length).toBe(100_004);
    const sum = rows.reduce((total, row) => total + Number(row.split(',')[2]), 0);
    expect(ratings.reduce((total, { value }) => total + value, 0)).toBe(sum);
    expect(isInTimeOrder(events)).toBe(true);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const days = new Set(ratings.map(({ user, ts }) => `${user} ${day(ts)}`));
    expect(new Set(lists.map(({ user, ts }) => `${user} ${day(ts)}`)).size).toBeGreaterThan(
      0.98 * days.size,
    );
    const looked = IS_LONG ? [7, 1200, 5001, 9998] : [7, 120, 501, 998];
    for (const list of looked.map((i) => lists[i])) {
      const expected = slowList(ratings, list);
      expect(list.items).toEqual(expected.slice(0, listLength));
      expect(list.candidates).toBe(expected.length);
      expect(list.shown).toBe(false);
    }
  });

  test('is split by seeded hash near the ratio, with lists only where they are needed', async () => {
    const size = rows.length;
    // Three standard errors of a share.
    const near = (share: number) => 3 * Math.sqrt((share * (1 - share)) / size);
    const options = { apart: true, split: 'hash', ratio: 0.7, listLength: 3 } as const;
    const one = await imported('movielens', part, { ...options, seed: 1 });
    const two = await imported('movielens', part, { ...options, seed: 2 });
    const idsOf = (events: Event[]) => new Set(events.filter(isInteraction).map(({ id }) => id));
    const train = idsOf(one.train);
    const other = idsOf(two.train);
    expect(Math.abs(train.size / size - 0.7)).toBeLessThan(near(0.7));
    expect(Math.abs(other.size / size - 0.7)).toBeLessThan(near(0.7));
    const both = [...train].filter((id) => other.has(id)).length;
    expect(Math.abs(both / size - 0.49)).toBeLessThan(near(0.49));
    const held = new Set(
      one.events.filter(isInteraction).map(({ user, ts }) => `${user} ${day(ts)}`),
    );
    const isNeeded = ({ user, ts }: Exposure) => held.has(`${user} ${day(ts)}`);
    expect(one.events.filter(isExposure).every(isNeeded)).toBe(true);
    expect(one.train.filter(isExposure).some(isNeeded)).toBe(false);
  });
});
