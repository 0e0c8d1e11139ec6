import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../../src/events/hash.js';
import { Interner } from '../../../../src/state/ids/interner.js';

const utf8 = new TextEncoder();

function intern(table: Interner, text: string, hash?: number): number {
  const bytes = utf8.encode(`<${text}>`);
  const end = bytes.length - 1;
  return table.intern(bytes, 1, end, hash ?? hashBytes(bytes, 1, end));
}

function find(table: Interner, text: string, hash?: number): number {
  const bytes = utf8.encode(text);
  return table.find(bytes, 0, bytes.length, hash ?? hashBytes(bytes, 0, bytes.length));
}

describe('an Interner', () => {
  it('numbers distinct ids in the order of first sight, as a Map would', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 9 }), { maxLength: 300 }),
        (ids) => {
          const table = new Interner();
          const map = new Map<string, number>();
          for (const text of ids) {
            if (!map.has(text)) map.set(text, map.size);
            expect(intern(table, text)).toBe(map.get(text));
          }
          expect(table.size).toBe(map.size);
          for (const [text, id] of map) {
            expect(table.text(id)).toBe(text);
            expect(find(table, text)).toBe(id);
          }
        },
      ),
    );
  });

  it('keeps every id through growth', () => {
    const table = new Interner();
    const count = 200_000;
    for (let i = 0; i < count; i++) intern(table, `user-${i}`);
    const wrong: number[] = [];
    for (let i = 0; i < count; i++) {
      if (intern(table, `user-${i}`) !== i || table.text(i) !== `user-${i}`) wrong.push(i);
    }
    expect(wrong).toEqual([]);
    expect(table.size).toBe(count);
  });

  it('tells ids apart that have the same hash', () => {
    const table = new Interner();
    for (const hash of [0, -1, 0x7fffffff]) {
      const ids = Array.from({ length: 40 }, (_, i) => `${hash}:${i}`);
      const numbers = ids.map((id) => intern(table, id, hash));
      expect(ids.map((id) => find(table, id, hash))).toEqual(numbers);
    }
    expect(table.size).toBe(120);
    expect(find(table, 'another', 0)).toBe(-1);
  });

  it('hashes an id alike in every table, whatever its number', () => {
    const [one, other] = [new Interner(), new Interner()];
    const ids = Array.from({ length: 1000 }, (_, i) => `user-${i}`);
    const hashes = ids.map((id) => one.hash(intern(one, id)));
    for (const id of ids.toReversed()) intern(other, id);
    expect(ids.map((id) => other.hash(find(other, id)))).toEqual(hashes);
    expect(new Set(hashes).size).toBe(1000);
  });

  it('tells an id from its beginning and from itself with zeros after it', () => {
    const table = new Interner();
    expect(
      ['a', 'ab', 'a\0', 'a\0\0\0', 'abcd', 'abcde', ''].map((id) => intern(table, id, 7)),
    ).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(table.text(3)).toBe('a\0\0\0');
    expect(table.text(6)).toBe('');
  });

  it('does not intern what it is asked to find', () => {
    const table = new Interner();
    expect(find(table, 'a')).toBe(-1);
    expect(table.size).toBe(0);
  });

  it('copies the bytes', () => {
    const table = new Interner();
    const bytes = utf8.encode('before');
    table.intern(bytes, 0, 6, hashBytes(bytes, 0, 6));
    bytes.fill(0x78);
    expect(table.text(0)).toBe('before');
  });

  it('holds ids of 512 bytes, also where a chunk has no room for one more', () => {
    const table = new Interner();
    for (let i = 0; i < 1000; i++) intern(table, `${i}`.padStart(512, 'ä'.repeat(2)).slice(-256));
    for (let i = 0; i < 1000; i++) expect(table.text(i).endsWith(String(i))).toBe(true);
  });

  it('orders ids by code point, unlike JavaScript’s own order', () => {
    const table = new Interner();
    const ids = ['b', 'a', '', 'ab', '\u{1f600}', '\uff5e', 'é', 'Z', 'a\u0300'];
    for (const id of ids) intern(table, id);
    const sorted = ids.map((_, i) => i).sort((a, b) => table.compare(a, b));
    const byPoints = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(sorted.map((i) => table.text(i))).toEqual(byPoints);
    expect(byPoints).not.toEqual([...ids].sort());
    expect(table.compare(3, 3)).toBe(0);
  });

  it('has no text for a number that it did not give out', () => {
    const table = new Interner();
    intern(table, 'a');
    for (const id of [-1, 1, 0.5 + 1, Number.NaN]) {
      expect(() => table.text(id)).toThrow(RangeError);
      expect(() => table.compare(0, id)).toThrow(RangeError);
    }
  });

  it('takes at most 150 bytes for a distinct id of 20 bytes at any size from 10,000 up', () => {
    const table = new Interner();
    let most = 0;
    for (let i = 0; i < 300_000; i++) {
      intern(table, `user-${String(i).padStart(15, '0')}`);
      if (i >= 10_000 && i % 97 === 0) most = Math.max(most, table.byteLength / table.size);
    }
    expect(most).toBeLessThan(150);
    expect(most).toBeGreaterThan(20);
  });
});
