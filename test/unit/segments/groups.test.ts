import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import {
  groupOfItem,
  type ItemBorders,
  itemBorders,
} from '../../../src/estimators/segments/built-in-axes.js';
import { ListGroupSums } from '../../../src/features/segments/list-groups.js';
import { calibrationFloor, miscalibration } from '../../../src/features/segments/miscalibration.js';
import { relevanceRatios } from '../../../src/features/segments/relevance-ratio.js';
import { userGroups } from '../../../src/features/segments/user-groups.js';

/** Six items, two users: profiles AB and CDEF, lists ABC and ACD. */
const COUNTS = [8, 5, 3, 2, 1, 1];
const PROFILES = [
  [0, 1],
  [2, 3, 4, 5],
];
const LISTS = [
  [0, 1, 2],
  [0, 2, 3],
];

function borders(counts: readonly number[]): ItemBorders {
  const found = itemBorders(counts);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

const groupsOf = (items: readonly number[], of: ItemBorders) => {
  const groups: [number, number, number] = [0, 0, 0];
  for (const item of items) groups[groupOfItem(COUNTS[item], of)]++;
  return groups;
};
const popularityOf = (items: readonly number[]) =>
  items.reduce((sum, item) => sum + COUNTS[item], 0);

describe('six items and two users', () => {
  const of = borders(COUNTS);
  const sums = new ListGroupSums();
  for (const [user, profile] of PROFILES.entries()) {
    sums.add({
      profile: groupsOf(profile, of),
      profilePopularity: popularityOf(profile),
      list: groupsOf(LISTS[user], of),
      listPopularity: popularityOf(LISTS[user]),
      longTail: LISTS[user].filter((item) => COUNTS[item] < of.longTail).length,
    });
  }
  const found = sums.groups();

  it('are as far from their profiles as the definition says', () => {
    expect(miscalibration([1, 1, 0], [1, 2, 0]).kl).toBeCloseTo(0.0576493, 7);
    expect(miscalibration([0, 1, 3], [1, 1, 1]).kl).toBeCloseTo(0.527586, 6);
    const { user, pooled } = found.miscalibration;
    expect(user.js).toBeCloseTo(0.1255065, 7);
    expect(user.hellinger).toBeCloseTo(0.2898534, 7);
    expect(pooled.kl).toBeCloseTo(0.2906737, 7);
  });
});

describe('groups of users', () => {
  it('keep users of one share together, however long their profiles are', () => {
    // Shares 0, ½, ½, ½, 1: the middle three are compared as whole numbers.
    const found = userGroups({ head: [0, 1, 2, 3_000_001, 5], rows: [9, 2, 4, 6_000_002, 5] });
    expect(found).toEqual(Uint8Array.of(0, 1, 1, 1, 2));
  });

  it('are refused where one share is that of nearly all', () => {
    expect(userGroups({ head: [1, 1, 1, 1, 0], rows: [2, 2, 2, 2, 2] })).toEqual(
      Uint8Array.of(2, 2, 2, 2, 0),
    );
    expect(userGroups({ head: [1, 1, 1, 1, 1, 0], rows: [2, 2, 2, 2, 2, 2] })).toBe('no_spread');
    expect(userGroups({ head: [0], rows: [0] })).toBe('no_profiles');
  });
});

describe('miscalibration', () => {
  it('has the known floor of lists that are drawn from the profile itself', () => {
    const random = new Random(5, 'floor');
    const profile = [20, 50, 30] as const;
    for (const [length, least, most] of [
      [5, 0.4, 0.65],
      [10, 0.12, 0.25],
      [50, 0.018, 0.024],
    ] as const) {
      const floor = calibrationFloor([...profile], length);
      let sum = 0;
      const lists = 4000;
      for (let l = 0; l < lists; l++) {
        const list = [0, 0, 0];
        for (let place = 0; place < length; place++) {
          const at = random.below(100);
          list[at < 20 ? 0 : at < 70 ? 1 : 2]++;
        }
        sum += miscalibration(profile, list).kl;
      }
      expect(Math.abs(floor.kl / (sum / lists) - 1)).toBeLessThan(0.06);
      expect(floor.kl).toBeGreaterThan(least);
      expect(floor.kl).toBeLessThan(most);
    }
  });

  it('is 4.605 at most, where list and profile share no group', () => {
    expect(miscalibration([1, 0, 0], [0, 0, 3]).kl).toBeCloseTo(Math.log(100), 12);
    expect(miscalibration([1, 0, 0], [0, 0, 3])).toMatchObject({ js: 1, hellinger: 1 });
    expect(miscalibration([0, 0, 0], [1, 0, 0]).kl).toBeNaN();
  });
});

it('exposure against relevance is refused where a group is worth nothing', () => {
  expect(relevanceRatios([1, 1, 1], [1, 1, 0])).toBe('no_relevance');
  expect(relevanceRatios([0, 0, 0], [1, 1, 1])).toBe('no_exposure');
  expect(relevanceRatios([5, 3, 2], [5, 3, 2])).toMatchObject({ ratios: [1, 1, 1], tailToHead: 1 });
});
