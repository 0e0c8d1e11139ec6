import { expect, it } from 'vitest';
import { firstOfEachPair } from '../../../../src/commands/propensities/read-ratings.js';

it('firstOfEachPair keeps the first rating of each pair, whatever the order of events', () => {
  const ratings = [
    { user: 1, item: 0, ts: 5, rating: 2 },
    { user: 0, item: 3, ts: 9, rating: 1 },
    { user: 0, item: 3, ts: 7, rating: 5 },
    { user: 0, item: 2, ts: 8, rating: 4 },
    // Of two ratings at the same time, the lower one counts.
    { user: 1, item: 0, ts: 5, rating: 1 },
  ];
  const { user, item, rating } = firstOfEachPair(ratings);
  expect([[...user], [...item], [...rating]]).toEqual([
    [0, 0, 1],
    [2, 3, 0],
    [4, 5, 1],
  ]);
  expect(firstOfEachPair([...ratings].reverse())).toEqual({ user, item, rating });
});
