import { describe, expect, it } from 'vitest';
import { Assembler, type AssemblyOptions } from '../../../../src/stream/intake/assembler.js';
import { listOf, type Part } from '../../../../src/stream/intake/part.js';
import { Watermarks } from '../../../../src/stream/panes/watermarks.js';

const OPTIONS: AssemblyOptions = {
  gapMs: 60,
  withinMs: 600,
  latenessMs: 20,
  maxParts: 100,
  firstPlace: 1,
  noteEvery: 8,
};

type Said = Partial<Omit<Part, 'event'>>;

function part(item: string, ts: number, said: Said = {}, more: object = {}): Part {
  const event = { type: 'exposure', id: `v/0/${ts}`, ts, user: 'u', model: 'm' } as const;
  return { event: { ...event, items: [item], ...more }, ...said };
}

/** Lists of one source's parts, in this order, once nothing more comes. */
function assembled(parts: readonly Part[], options = OPTIONS) {
  const assembler = new Assembler(options);
  let newest = Number.NEGATIVE_INFINITY;
  const outcomes = parts.map((each, offset) => {
    newest = Math.max(newest, each.event.ts);
    return assembler.part(offset, each, { source: 'v/0', newest });
  });
  const end = { partitions: { v: 1 }, newest: {}, emptyAt: { 'v/0': 1e9 } };
  assembler.progressed(parts.length, end);
  const lists = assembler.complete().map(({ event }) => event);
  return { outcomes, lists, assembler };
}

describe('impressions of one item each', () => {
  it('with one list id form a list by position, at the earliest time', () => {
    const { lists } = assembled([
      part('b', 1010, { list: 'r1', place: 2 }),
      part('c', 1020, { list: 'r1' }),
      part('a', 1015, { list: 'r1', place: 1 }),
    ]);
    expect(lists).toEqual([
      { type: 'exposure', id: 'r1', ts: 1010, user: 'u', model: 'm', items: ['a', 'b', 'c'] },
    ]);
  });

  it('of two models at the same positions of one list id form two lists', () => {
    const { lists } = assembled([
      part('a', 1010, { list: 'r1', place: 1 }, { model: 'm', shown: true }),
      part('b', 1011, { list: 'r1', place: 1 }, { model: 'n', shown: false }),
      part('b', 1012, { list: 'r1', place: 2 }, { model: 'm', shown: true }),
      part('a', 1013, { list: 'r1', place: 2 }, { model: 'n', shown: false }),
    ]);
    expect(lists.map(({ id, model, items }) => ({ id, model, items }))).toEqual([
      { id: 'r1', model: 'm', items: ['a', 'b'] },
      { id: 'r1/n', model: 'n', items: ['b', 'a'] },
    ]);
  });

  it('of two models without list ids form two lists, even if interleaved', () => {
    const { lists } = assembled([
      part('a', 1010),
      part('b', 1011, {}, { model: 'n' }),
      part('c', 1012),
      part('d', 1013, {}, { model: 'n' }),
    ]);
    expect(lists.map(({ model, items }) => ({ model, items }))).toEqual([
      { model: 'm', items: ['a', 'c'] },
      { model: 'n', items: ['b', 'd'] },
    ]);
  });

  it('of two models at different positions of one list id form one list', () => {
    const { lists } = assembled([
      part('a', 1010, { list: 'r1', place: 1 }),
      part('b', 1011, { list: 'r1', place: 2 }, { model: 'n' }),
    ]);
    expect(lists.map(({ id, model, items }) => ({ id, model, items }))).toEqual([
      { id: 'r1', model: 'm', items: ['a', 'b'] },
    ]);
  });

  it('that are late at their source or exceed maxParts are in no list', () => {
    const { outcomes, lists } = assembled([part('a', 1000), part('b', 1100), part('c', 1079)]);
    expect(outcomes).toEqual(['held', 'held', 'late_part']);
    expect(lists.flatMap(({ items }) => items)).toEqual(['a', 'b']);
    const few = assembled([part('a', 1000), part('b', 1001)], { ...OPTIONS, maxParts: 1 });
    expect(few.outcomes).toEqual(['held', 'over_limit']);
  });

  it('wait for the slowest source partition, and are complete up to its time', () => {
    const assembler = new Assembler(OPTIONS);
    const partitions = { v: 2 };
    assembler.part(0, part('a', 1000), { source: 'v/0', newest: 1000 });
    assembler.progressed(1, { partitions, newest: { 'v/0': 9000 }, emptyAt: {} });
    expect(assembler.complete()).toEqual([]);
    assembler.written();
    expect(assembler.newest).toBe(Number.NEGATIVE_INFINITY);
    assembler.progressed(2, { partitions, newest: { 'v/1': 1070 }, emptyAt: {} });
    expect(assembler.complete()).toEqual([]);
    assembler.written();
    // No list that begins before the open one is to come.
    expect(assembler.newest).toBe(1000 + OPTIONS.latenessMs);
    assembler.progressed(3, { partitions, newest: { 'v/1': 1081 }, emptyAt: {} });
    expect(assembler.complete()).toHaveLength(1);
    expect(assembler.emptySince).toBeUndefined();
    assembler.written();
    expect(assembler.newest).toBe(1081);
    assembler.progressed(4, { partitions, newest: {}, emptyAt: { 'v/0': 9500, 'v/1': 9600 } });
    expect(assembler.emptySince).toBe(9500);
  });

  it('do not advance the watermark when a restarted assembler reads them again', () => {
    const watermarks = new Watermarks(OPTIONS.latenessMs, 1000);
    watermarks.advance('exposures', 0, 1000);
    watermarks.advance('interactions', 0, 1500);
    const tell = (assembler: Assembler, emptyAt: number) => {
      const since = assembler.emptySince;
      const told = {
        partitions: { v: 1, parts: 1 },
        newest: { 'v/0': 1500, 'parts/0': assembler.newest },
        emptyAt: { 'v/0': emptyAt, ...(since !== undefined && { 'parts/0': since }) },
      };
      for (const role of ['exposures', 'interactions'] as const) {
        watermarks.progressed(role, 0, told);
      }
    };
    const reading = (newest: number) => {
      const assembler = new Assembler(OPTIONS);
      assembler.part(0, part('a', 1000), { source: 'v/0', newest: 1000 });
      assembler.progressed(1, { partitions: { v: 1 }, newest: { 'v/0': newest }, emptyAt: {} });
      assembler.complete();
      assembler.written();
      return assembler;
    };
    const first = reading(1500);
    first.progressed(2, { partitions: { v: 1 }, newest: {}, emptyAt: { 'v/0': 9e8 } });
    first.complete();
    first.written();
    tell(first, 9e8);
    expect(watermarks.value()).toBe(2000);
    tell(reading(1010), 9e8 + 1000);
    expect(watermarks.value()).toBeLessThanOrEqual(2000);
  });

  it('pass on scores and propensities that all have, and the first rank', () => {
    const numbers = (n: number) => ({ scores: [n], propensities: [n / 10], request: 'q' });
    const two = [
      part('a', 1000, { list: 'r', place: 21 }, numbers(3)),
      part('b', 1001, { list: 'r', place: 22 }, numbers(2)),
    ];
    expect(assembled(two).lists[0]).toMatchObject({
      scores: [3, 2],
      propensities: [0.3, 0.2],
      firstRank: 20,
      request: 'q',
    });
    const [, b] = two as [Part, Part];
    const { event } = listOf([part('a', 1000, { list: 'r' }), b], 1);
    expect(event).not.toHaveProperty('scores');
  });
});
