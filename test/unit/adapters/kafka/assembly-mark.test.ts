import { expect, it } from 'vitest';
import { readMark, writeMark } from '../../../../src/adapters/kafka/kafka-assembly.js';

const cut = (n: number) => [`k${n}`, { before: 1e12 + n, lastOffset: n }] as const;
const timesOf = (partitions: number) => ({
  partitions: { views: partitions },
  newest: Object.fromEntries(
    Array.from({ length: partitions }, (_, p) => [`views/${p}`, 1_767_225_600_000 + p]),
  ),
  emptyAt: { 'views/1': 1_767_225_700_000 },
});

it('a mark is read as it was written', () => {
  const mark = { from: 7, unwritten: 90, next: 120, times: timesOf(24), cuts: [cut(1), cut(2)] };
  expect(readMark(writeMark(mark), 7)).toEqual(mark);
});

it('a mark fits into the metadata of an offset by dropping its cuts first', () => {
  const cuts = Array.from({ length: 500 }, (_, n) => cut(n));
  const mark = { from: 7, unwritten: 90, next: 120, times: timesOf(24), cuts };
  expect(readMark(writeMark(mark), 7)).toEqual({ ...mark, cuts: [] });
  const wide = writeMark({ ...mark, times: timesOf(2000) });
  expect(wide.length).toBeLessThan(4096);
  expect(readMark(wide, 7)).toMatchObject({ from: 7, unwritten: 90, next: 120 });
});

it('a mark is not read from other metadata', () => {
  for (const text of ['', 'x', '{}', '[1,2]', '[9,1,1,{},"","",[]]']) {
    expect(readMark(text, 0)).toBeUndefined();
  }
});
