import { expect, it } from 'vitest';
import { lonelyPoints } from '../../../../src/page/charts/lonely-points.js';

it.each([
  ['between gaps', [1, 2, null, 3, null, 4, 5], [3]],
  ['before the first and after the last gap', [1, null, null, 2, 3, null, 4], [0, 6]],
  [
    'except next to a value across samples that were not requested',
    [1, undefined, 2, undefined, null],
    [],
  ],
  ['where gaps follow samples that were not requested', [null, undefined, 2, undefined, null], [2]],
  ['in a column with one value', [null, 1, null], [1]],
  ['nowhere in a column without values', [null, undefined, null], []],
])('single points are drawn %s', (_, column, places) => {
  expect(lonelyPoints(column)).toEqual(places);
});
