import type { LoggedRequest } from './value-log.js';

const words = (text: string) => text.split(' ');
const request = (a: string, b: string, s: string, arm: number, click?: string): LoggedRequest => ({
  lists: [words(a), words(b), words(s)],
  arm,
  rewards: click === undefined ? {} : { [click]: 1 },
});

/** Four requests of two arms, A and B, and a challenger S that was never served. */
export const FOUR_REQUESTS: readonly LoggedRequest[] = [
  request('x y', 'y z', 'y x', 0, 'y'),
  request('x y', 'z x', 'z w', 1, 'z'),
  request('y x', 'x z', 'x y', 0, 'y'),
  request('x z', 'z y', 'w z', 1),
];

export const HALF_AND_HALF = {
  models: ['A', 'B', 'S'],
  arms: [{ list: 0 }, { list: 1 }],
  shares: [[1 / 2, 1 / 2]],
};
export const TWO_PLACES = [1, 1 / 2];
