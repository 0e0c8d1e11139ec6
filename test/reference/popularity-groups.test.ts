import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  groupOfItem,
  type ItemBorders,
  itemBorders,
} from '../../src/estimators/segments/built-in-axes.js';
import { ListGroupSums, type ListGroups } from '../../src/features/segments/list-groups.js';
import { userGroups } from '../../src/features/segments/user-groups.js';
import { itAtNight } from '../support/at-night.js';
import { needsData, publishedData } from '../support/published-data.js';
import { coatRatings, ratingsPerItem } from './coat.js';

/** A split log: what each user had before, and which items the user liked afterwards. */
interface Split {
  readonly counts: readonly number[];
  readonly profiles: readonly (readonly number[])[];
  readonly liked: readonly (readonly number[])[];
}

const K = 10;
const tuple = (): [number, number, number] => [0, 0, 0];

function bordersOf(counts: readonly number[]): ItemBorders {
  const found = itemBorders(counts);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

function groupsOf({ counts, profiles }: Split): Uint8Array {
  const borders = bordersOf(counts);
  const isHead = (item: number) => groupOfItem(counts[item], borders) === 0;
  const found = userGroups({
    head: profiles.map((items) => items.filter(isHead).length),
    rows: profiles.map((items) => items.length),
  });
  if (typeof found === 'string') throw new Error(found);
  return found;
}

const sizes = (groups: Uint8Array) => [0, 1, 2].map((g) => groups.filter((of) => of === g).length);

/** What lists do to groups, over the users with something liked that `counts`. */
function listGroups(
  split: Split,
  lists: readonly (readonly number[])[],
  isCounted: (user: number) => boolean = () => true,
): ListGroups {
  const { counts, profiles, liked } = split;
  const borders = bordersOf(counts);
  const sums = new ListGroupSums();
  const groups = (items: readonly number[]) => {
    const found = tuple();
    for (const item of items) found[groupOfItem(counts[item], borders)]++;
    return found;
  };
  const popularity = (items: readonly number[]) => items.reduce((sum, i) => sum + counts[i], 0);
  for (const [user, list] of lists.entries()) {
    if (liked[user].length === 0 || !isCounted(user)) continue;
    sums.add({
      profile: groups(profiles[user]),
      profilePopularity: popularity(profiles[user]),
      list: groups(list),
      listPopularity: popularity(list),
      longTail: list.filter((item) => counts[item] < borders.longTail).length,
    });
  }
  return sums.groups();
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
  const [train, test] = [coatRatings('train'), coatRatings('test')];
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
  it('are those of the definition, and so is what the popularity ranker does to them', () => {
    const { split, lists } = coat();
    const borders = bordersOf(split.counts);
    expect([borders.head, borders.tail]).toEqual([42, 17]);
    const items = split.counts.map((n) => groupOfItem(n, borders));
    expect([0, 1, 2].map((g) => items.filter((of) => of === g).length)).toEqual([25, 153, 122]);
    const groups = groupsOf(split);
    expect(sizes(groups)).toEqual([103, 127, 60]);
    const all = listGroups(split, lists);
    expect(all.users).toBe(225);
    expect(all.popularity.user).toBeCloseTo(57.9702222, 7);
    expect(all.lift.group).toBeCloseTo(0.8676865, 7);
    expect(all.miscalibration.user.kl).toBeCloseTo(1.8565227, 7);
    const lifts = [0, 1, 2].map(
      (g) => listGroups(split, lists, (user) => groups[user] === g).lift.group,
    );
    expect(lifts[0]).toBeCloseTo(1.458, 3);
    expect(lifts[1]).toBeCloseTo(0.845, 3);
    expect(lifts[2]).toBeCloseTo(0.262, 3);
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
  const [users, items] = [placeOf(0), placeOf(1)];
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

/** Items that are bought together: the sum of binary cosines with the items of the profile. */
function neighbours({ counts, profiles }: Split): number[][] {
  const usersOf: number[][] = counts.map(() => []);
  for (const [user, profile] of profiles.entries()) {
    for (const item of profile) usersOf[item].push(user);
  }
  return profiles.map((profile) => {
    const scores = new Float64Array(counts.length);
    for (const item of profile) {
      const together = new Float64Array(counts.length);
      for (const other of usersOf[item]) for (const i of profiles[other]) together[i]++;
      for (let i = 0; i < counts.length; i++) {
        if (together[i] > 0 && i !== item)
          scores[i] += together[i] / Math.sqrt(counts[i] * counts[item]);
      }
    }
    return best(scores, new Set(profile));
  });
}

describe('popularity groups of MovieLens', needsData('ml-latest-small'), () => {
  it('are those of the definition, and so is what the popularity ranker does to them', () => {
    const split = movieLens();
    const borders = bordersOf(split.counts);
    expect([borders.head, borders.tail]).toEqual([98, 10]);
    const items = split.counts.filter((n) => n > 0).map((n) => groupOfItem(n, borders));
    expect([0, 1, 2].map((g) => items.filter((of) => of === g).length)).toEqual([113, 1616, 6027]);
    expect(sizes(groupsOf(split))).toEqual([135, 399, 137]);
    const order = split.counts.map((_, item) => item);
    order.sort((a, b) => split.counts[b] - split.counts[a] || a - b);
    const lists = split.profiles.map((profile) => {
      const known = new Set(profile);
      return order.filter((item) => !known.has(item)).slice(0, K);
    });
    const all = listGroups(split, lists);
    expect(all.users).toBe(656);
    expect(all.popularity.user).toBeCloseTo(231.3539634, 7);
    expect(all.lift.group).toBeCloseTo(2.066298, 6);
    expect(all.lift.user).toBeCloseTo(2.802, 3);
    expect(all.lift.pooled).toBeCloseTo(2.966, 3);
    expect(all.miscalibration.user.kl).toBeCloseTo(2.9518737, 6);
    const [head, middle, tail] = recallByGroup(split, lists);
    expect(head).toBeCloseTo(0.2042111, 7);
    expect([middle, tail]).toEqual([0, 0]);
  });

  // Its lists take half a minute.
  itAtNight('are shown more evenly by items that go together', () => {
    const split = movieLens();
    const lists = neighbours(split);
    const all = listGroups(split, lists);
    expect(all.popularity.user).toBeCloseTo(123.83415, 4);
    expect(all.lift.group).toBeCloseTo(0.64126, 5);
    expect(all.miscalibration.user.kl).toBeCloseTo(1.01196, 5);
    const [head, middle, tail] = recallByGroup(split, lists);
    expect(head).toBeCloseTo(0.2305, 4);
    expect(middle).toBeCloseTo(0.03235, 5);
    expect(tail).toBeCloseTo(0.0015, 4);
  });
});
