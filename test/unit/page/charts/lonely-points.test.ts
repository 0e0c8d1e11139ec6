import { expect, it } from 'vitest';
import { lonelyPoints } from '../../../../src/page/charts/lonely-points.js';

it.each([
  ['that stand between stretches without values', [1, 2, null, 3, null, 4, 5], [3]],
  ['before the first and after the last gap', [1, null, null, 2, 3, null, 4], [0, 6]],
  ['whose neighbours alone were not asked for', [1, undefined, 2, undefined, null], []],
  ['beyond places that were not asked for', [null, undefined, 2, undefined, null], [2]],
  ['of a column that has no other', [null, 1, null], [1]],
  ['of none', [null, undefined, null], []],
])('points are drawn %s', (_, column, places) => {
  expect(lonelyPoints(column)).toEqual(places);
});
