import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../src/events/hash.js';
import { BinaryReader } from '../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../src/state/binary/binary-writer.js';
import { readUsers } from '../../../src/state/ids/id-dictionary.js';
import { Interner } from '../../../src/state/ids/interner.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { repetitions } from '../../support/repetitions.js';

const utf8 = new TextEncoder();

function intern(table: Interner, text: string): number {
  const bytes = utf8.encode(text);
  return table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}

function find(table: Interner, text: string): number {
  const bytes = utf8.encode(text);
  return table.find(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}

/** Forgets all but these. */
function keepOnly(table: Interner, numbers: Iterable<number>): number {
  const marks = table.mark();
  for (const id of numbers) marks[id] = 1;
  return runAtOnce(table.sweep());
}

/** Compare the table with a model for every text that was ever in it. */
function expectLike(table: Interner, model: ReadonlyMap<string, number>, gone: Iterable<string>) {
  for (const [text, id] of model) {
    expect(find(table, text)).toBe(id);
    expect(table.text(id)).toBe(text);
    expect(table.isKnown(id)).toBe(true);
    expect(id).toBeLessThan(table.size);
  }
  for (const text of gone) if (!model.has(text)) expect(find(table, text)).toBe(-1);
  expect(table.known).toBe(model.size);
  // No two ids share a number.
  expect(new Set(model.values()).size).toBe(model.size);
}

const aText = fc.nat(60).map((n) => `id ${'-'.repeat(n % 7)}${n}`);

describe('a table that forgets ids', () => {
  it('keeps the numbers of marked ids and of ids added during the sweep', () => {
    const rounds = fc.array(
      fc.record({
        before: fc.array(aText, { maxLength: 40 }),
        kept: fc.array(fc.nat(60), { maxLength: 30 }),
        during: fc.array(fc.tuple(fc.nat(80), aText), { maxLength: 20 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(rounds, (all) => {
        const table = new Interner();
        let model = new Map<string, number>();
        const ever = new Set<string>();
        const take = (text: string) => {
          const id = intern(table, text);
          expect(model.get(text) ?? id).toBe(id);
          model.set(text, id);
          ever.add(text);
        };
        for (const { before, kept, during } of all) {
          for (const text of before) take(text);
          const marks = table.mark();
          const texts = [...model.keys()];
          const left = new Set(kept.map((n) => texts[n % texts.length]!).filter((t) => t));
          for (const text of left) marks[model.get(text)!] = 1;
          const sweep = table.sweep();
          const arrivals = [...during].sort(([a], [b]) => a - b);
          let forgotten = 0;
          let isDone = false;
          for (let step = 0; !isDone; step++) {
            while (arrivals.length > 0 && arrivals[0]![0] <= step) {
              const [, text] = arrivals.shift()!;
              // If its segment was swept already, it is new and may have any number.
              if (find(table, text) < 0) model.delete(text);
              take(text);
              left.add(text);
            }
            const { done, value } = sweep.next();
            isDone = done === true;
            if (done) forgotten = value;
          }
          for (const [, text] of arrivals) {
            if (find(table, text) < 0) model.delete(text);
            take(text);
            left.add(text);
          }
          expect(forgotten).toBeGreaterThanOrEqual(texts.filter((text) => !left.has(text)).length);
          model = new Map([...model].filter(([text]) => left.has(text)));
          expectLike(table, model, ever);
        }
      }),
      { numRuns: repetitions(40, 300), endOnFailure: true },
    );
  });

  it('holds no more memory after a hundred generations of ids than after two', () => {
    const table = new Interner();
    const sizes: number[] = [];
    for (let round = 0; round < 100; round++) {
      for (let n = 0; n < 1_000; n++) intern(table, `user ${round} ${n}`);
      const kept = Array.from({ length: 200 }, (_, n) => find(table, `user ${round} ${n}`));
      keepOnly(table, kept);
      sizes.push(table.byteLength);
    }
    expect(Math.max(...sizes.slice(2))).toBeLessThanOrEqual(1.2 * Math.max(...sizes.slice(0, 2)));
    expect(table.known).toBe(200);
    expect(table.size).toBeLessThanOrEqual(1_200);
  });
});

describe('ids that are written and read', () => {
  it('keep their numbers if others were forgotten and ids are added during the write', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `user ${n}`);
    const table = new Interner();
    for (const text of texts) intern(table, text);
    const isKept = (_: string, n: number) => n % 3 === 1;
    keepOnly(
      table,
      texts.map((_, n) => n).filter((n) => n % 3 === 1),
    );
    const to = new BinaryWriter();
    let step = 0;
    for (const _ of table.capture()(to)) {
      // Free numbers are assigned between two slices.
      for (let n = 0; n < 500; n++) intern(table, `new ${step} ${n}`);
      step++;
    }
    expect(step).toBeGreaterThan(1);
    const read = new Interner();
    runAtOnce(readUsers(new BinaryReader(Buffer.concat(to.finish())), read));
    const kept = texts.filter(isKept);
    expect(kept.map((text) => find(read, text))).toEqual(kept.map((text) => find(table, text)));
    expect(find(read, 'user 0')).toBe(-1);
    expect(read.size).toBe(texts.length);
    // Free numbers are assigned first.
    expect(read.isKnown(intern(read, 'another'))).toBe(true);
    expect(read.size).toBe(texts.length);
  });
});
