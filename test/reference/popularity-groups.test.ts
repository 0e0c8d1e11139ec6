import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  groupOfItem,
  type ItemBorders,
  itemBorders,
} from '../../src/estimators/segments/built-in-axes.js';
import { needsData, publishedData } from '../support/published-data.js';
import { coatRatings, ratingsPerItem } from './coat.js';

/** A split log: what each user had before, and which items the user liked afterwards. */
interface Split {
  readonly counts: readonly number[];
  readonly profiles: readonly (readonly number[])[];
  readonly liked: readonly (readonly number[])[];
}

const K = 10;

function bordersOf(counts: readonly number[]): ItemBorders {
  const found = itemBorders(counts);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** Recall@10 of each group of items, the mean over users who liked one of it. */
function recallByGroup({ counts, liked }: Split, lists: readonly (readonly number[])[]): number[] {
  const borders = bordersOf(counts);
  return [0, 1, 2].map((group) => {
    const recalls = liked.flatMap((items, user) => {
      const own = items.filter((item) => groupOfItem(counts[item], borders) === group);
      const found = own.filter((item) => lists[user].includes(item)).length;
      return own.length === 0 ? [] : [found / own.length];
    });
    return recalls.reduce((a, b) => a + b, 0) / recalls.length;
  });
}

function best(scores: ArrayLike<number>, known: ReadonlySet<number>): number[] {
  const items = Array.from(scores, (_, item) => item).filter((item) => !known.has(item));
  return items.sort((a, b) => scores[b] - scores[a] || a - b).slice(0, K);
}

function coat(): { split: Split; lists: number[][] } {
  const train = coatRatings('train');
  const test = coatRatings('test');
  const places = (row: number[], is: (rating: number, item: number) => boolean) =>
    row.flatMap((rating, item) => (is(rating, item) ? [item] : []));
  const profiles = train.map((row) => places(row, (rating) => rating > 0));
  const popular = ratingsPerItem(train, (rating) => rating >= 4);
  return {
    split: {
      counts: ratingsPerItem(train, (rating) => rating > 0),
      profiles,
      liked: test.map((row, user) =>
        places(row, (rating, item) => rating >= 4 && train[user][item] === 0),
      ),
    },
    lists: profiles.map((items) => best(popular, new Set(items))),
  };
}

describe('popularity groups of Coat', needsData('coat'), () => {
  it('have the known sizes, and the popularity ranker has the known recall in each', () => {
    const { split, lists } = coat();
    const borders = bordersOf(split.counts);
    expect([borders.head, borders.tail]).toEqual([42, 17]);
    const items = split.counts.map((n) => groupOfItem(n, borders));
    expect([0, 1, 2].map((g) => items.filter((of) => of === g).length)).toEqual([25, 153, 122]);
    const [head, middle, tail] = recallByGroup(split, lists);
    expect(head).toBeCloseTo(0.5746269, 7);
    expect(middle).toBeCloseTo(0.0152778, 7);
    expect(tail).toBe(0);
  });
});

/** By user in the order of time: the last fifth of each user's ratings is the test. */
function movieLens(): Split {
  const text = readFileSync(join(publishedData('ml-latest-small')!, 'ratings.csv'), 'utf8');
  const all = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number));
  const placeOf = (column: number) => {
    const ids = [...new Set(all.map((row) => row[column]))].sort((a, b) => a - b);
    return new Map(ids.map((id, place) => [id, place]));
  };
  const users = placeOf(0);
  const items = placeOf(1);
  const byUser: number[][][] = Array.from({ length: users.size }, () => []);
  for (const row of all) byUser[users.get(row[0])!].push(row);
  const counts = new Array<number>(items.size).fill(0);
  const profiles: number[][] = [];
  const later: number[][][] = [];
  for (const rows of byUser) {
    rows.sort((a, b) => a[3] - b[3] || a[1] - b[1]);
    const train = rows.length - Math.floor(0.2 * rows.length);
    profiles.push(rows.slice(0, train).map((row) => items.get(row[1])!));
    later.push(rows.slice(train));
  }
  for (const profile of profiles) for (const item of profile) counts[item]++;
  const liked = later.map((rows) =>
    rows
      .filter((row) => row[2] >= 4)
      .map((row) => items.get(row[1])!)
      .filter((item) => counts[item] > 0),
  );
  return { counts, profiles, liked };
}

describe('popularity groups of MovieLens', needsData('ml-latest-small'), () => {
  it('have the known sizes, and the popularity ranker has the known recall in each', () => {
    const split = movieLens();
    const borders = bordersOf(split.counts);
    expect([borders.head, borders.tail]).toEqual([98, 10]);
    const items = split.counts.filter((n) => n > 0).map((n) => groupOfItem(n, borders));
    expect([0, 1, 2].map((g) => items.filter((of) => of === g).length)).toEqual([113, 1616, 6027]);
    const order = split.counts.map((_, item) => item);
    order.sort((a, b) => split.counts[b] - split.counts[a] || a - b);
    const lists = split.profiles.map((profile) => {
      const known = new Set(profile);
      return order.filter((item) => !known.has(item)).slice(0, K);
    });
    const [head, middle, tail] = recallByGroup(split, lists);
    expect(head).toBeCloseTo(0.2042111, 7);
    expect([middle, tail]).toEqual([0, 0]);
  });
});
