import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashBytes } from '../../../../src/events/hash.js';
import { Pseudonyms } from '../../../../src/events/pseudonyms.js';
import { Hmac } from '../../../../src/events/sha256.js';
import { Interner } from '../../../../src/state/ids/interner.js';

const KEY = 'a key of the unit tests, long enough';
const bytesOf = (text: string) => new TextEncoder().encode(text);
const under = (key: string, user: string) =>
  `~${createHmac('sha256', key).update(user).digest().subarray(0, 16).toString('base64url')}`;

describe('HMAC', () => {
  test('equals that of node:crypto, for keys and texts of any length', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.array(bytes, { maxLength: 4 }), (key, texts) => {
        const hmac = new Hmac(key);
        for (const text of texts) {
          const framed = Uint8Array.from([1, 2, 3, ...text, 4]);
          const words = hmac.of(framed, 3, 3 + text.length);
          const found = Buffer.alloc(32);
          words.forEach((word, w) => {
            found.writeInt32BE(word, 4 * w);
          });
          const expected = createHmac('sha256', key).update(text).digest('hex');
          expect(found.toString('hex')).toBe(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('pseudonyms', () => {
  test('are the first half of the HMAC, as text and as an interned id', () => {
    const table = new Interner();
    const pseudonyms = new Pseudonyms([{ key: KEY, fromMs: Number.NEGATIVE_INFINITY }]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (user) => {
        const name = pseudonyms.of(user, 0);
        expect(name).toBe(under(KEY, user));
        const bytes = bytesOf(`"${user}"`);
        const id = pseudonyms.intern(table, 0, bytes, 1, bytes.length - 1);
        expect(table.text(id)).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  test('stay unchanged if they are pseudonymised again', () => {
    const pseudonyms = new Pseudonyms([
      { key: `${KEY} 1`, fromMs: Number.NEGATIVE_INFINITY },
      { key: `${KEY} 2`, fromMs: 1000 },
    ]);
    const name = pseudonyms.of('u7', 0);
    expect(pseudonyms.of(name, 2000)).toBe(name);
    const table = new Interner();
    const bytes = bytesOf(name);
    expect(table.text(pseudonyms.intern(table, 2000, bytes, 0, bytes.length))).toBe(name);
    expect(pseudonyms.every(name)).toStrictEqual([name]);
  });

  test('use the last key that is valid at the time of the event', () => {
    const keys = [1, 2, 3].map((n) => `${KEY} ${n}`);
    const pseudonyms = new Pseudonyms(
      keys.map((key, n) => ({ key, fromMs: n === 0 ? 500 : n * 1000 })),
    );
    const expected = keys.map((key) => under(key, 'u7'));
    const times = [0, 500, 999, 1000, 1999, 2000, 9000];
    expect(times.map((ts) => expected.indexOf(pseudonyms.of('u7', ts)))).toStrictEqual([
      0, 0, 0, 1, 1, 2, 2,
    ]);
    expect(pseudonyms.every('u7')).toStrictEqual([...expected].reverse());
  });

  test('stay distinct if a state holds a user by id and by pseudonym', () => {
    const pseudonyms = new Pseudonyms([{ key: KEY, fromMs: 0 }]);
    for (const users of [
      ['u7', under(KEY, 'u7')],
      [under(KEY, 'u7'), 'u7'],
    ]) {
      const table = new Interner();
      for (const user of users) {
        const bytes = bytesOf(user);
        const isTaken = (text: Uint8Array) =>
          table.find(text, 0, text.length, hashBytes(text, 0, text.length)) >= 0;
        const text = pseudonyms.renamed(bytes, 0, bytes.length, isTaken);
        table.intern(text, 0, text.length, hashBytes(text, 0, text.length));
      }
      expect(table.size).toBe(2);
      expect(table.text(0)).toBe(under(KEY, 'u7'));
      expect(table.text(1)).toMatch(/^~[\w-]{22}$/);
    }
  });
});
