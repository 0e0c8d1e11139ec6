import { expect, it } from 'vitest';
import { ListPages, NO_LIST } from '../../../../src/state/requests/list-pages.js';

/** Every other one was drawn at random. */
const list = (model: number, size: number) => ({
  candidates: model % 2 === 0 ? Number.NaN : 500 * (model - 1),
  ...{ model, share: model / 7, depth: 65_535, firstRank: 40_000 + model },
  items: Int32Array.from({ length: size }, (_, n) => 1000 * model + n),
});

it('lists of any length stand in the order in which they were added', () => {
  const pages = new ListPages();
  const sizes = [3, 0, 20_000, 1, 40_001, 2, 500];
  let first = NO_LIST;
  for (const [model, size] of sizes.entries()) {
    first = pages.append(first, list(model, size), model === 2);
    // Of another request, in between.
    pages.append(NO_LIST, list(99, 333), false);
  }
  const chain = pages.chain(first);
  expect(chain.map((each) => pages.read(each))).toEqual(sizes.map((size, n) => list(n, size)));
  expect(chain.map((each) => pages.isServed(each))).toEqual(sizes.map((_, n) => n === 2));
  expect(
    pages.read(pages.append(NO_LIST, { ...list(1, 2), share: Number.NaN }, false)).share,
  ).toBeNaN();
});

it('rewards of a served list are its own, and lie behind its items', () => {
  const pages = new ListPages();
  const [one, other] = [3, 4].map((size) => pages.append(NO_LIST, list(1, size), true));
  pages.rewards(one)[2] = 5;
  pages.rewards(other)[0] = 0.25;
  expect([...pages.rewards(one)]).toEqual([0, 0, 5]);
  expect([...pages.rewards(other)]).toEqual([0.25, 0, 0, 0]);
  expect([one, other].map((each) => pages.read(each))).toEqual([list(1, 3), list(1, 4)]);
});

it('lists of models are left out, the first or the last as well', () => {
  const pages = new ListPages();
  let first = NO_LIST;
  for (const model of [1, 2, 3, 4]) first = pages.append(first, list(model, 2), false);
  const models = (address: number) => pages.chain(address).map((each) => pages.model(each));
  const without = pages.without(first, [1, 4]);
  expect(models(without)).toEqual([2, 3]);
  expect(models(pages.append(without, list(5, 1), false))).toEqual([2, 3, 5]);
  expect(pages.without(without, [2, 3, 5])).toBe(NO_LIST);
});
