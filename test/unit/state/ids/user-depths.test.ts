import { describe, expect, it } from 'vitest';
import { splitSeed } from '../../../../src/estimators/interventions/hash-split.js';
import { hash53 } from '../../../../src/estimators/interventions/sampling-key.js';
import { hash64, hashBytes } from '../../../../src/events/hash.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { depthOf, UserDepths } from '../../../../src/state/ids/user-depths.js';
import { slowDepth } from '../../../oracle/sampling.js';

const USERS = Array.from({ length: 65_536 }, (_, n) => `user-${n}`);
const bytesOf = (user: string) => new TextEncoder().encode(user);
const DEPTHS = USERS.map((user) => depthOf(bytesOf(user)));

/** Pearson's X² of two by two; above 15.1 once in 10,000 where they are independent. */
function dependence(flags: readonly boolean[], others: readonly boolean[]): number {
  const n = flags.length;
  const [a, b] = [flags, others].map((side) => side.filter(Boolean).length);
  const both = flags.filter((flag, u) => flag && others[u]).length;
  const gap = both * n - a * b;
  return (n * gap * gap) / (a * b * (n - a) * (n - b));
}

/** Murmur2 as Kafka's default partitioner has it, written from its definition. */
function kafkaPartition(key: Uint8Array, partitions: number): number {
  const m = 0x5bd1e995;
  let h = 0x9747b28c ^ key.length;
  let at = 0;
  for (; at + 4 <= key.length; at += 4) {
    let k = key[at] | (key[at + 1] << 8) | (key[at + 2] << 16) | (key[at + 3] << 24);
    k = Math.imul(k, m);
    k ^= k >>> 24;
    h = Math.imul(h, m) ^ Math.imul(k, m);
  }
  const left = key.length - at;
  if (left > 2) h ^= key[at + 2] << 16;
  if (left > 1) h ^= key[at + 1] << 8;
  if (left > 0) h = Math.imul(h ^ key[at], m);
  h ^= h >>> 13;
  h = Math.imul(h, m);
  h ^= h >>> 15;
  return (h & 0x7fffffff) % partitions;
}

describe('the depth of a user', () => {
  it('is the number of zeros that a hash of the id begins with', () => {
    for (const user of ['', 'u1', 'a longer id than sixteen bytes', 'é', '\u{1f600}']) {
      expect(depthOf(bytesOf(user))).toBe(slowDepth(user));
    }
  });

  it('is at least k for one user in 2^k', () => {
    for (let k = 0; k <= 8; k++) {
      const share = 2 ** -k;
      const found = DEPTHS.filter((depth) => depth >= k).length;
      const stdErr = Math.sqrt(USERS.length * share * (1 - share));
      expect(Math.abs(found - USERS.length * share)).toBeLessThanOrEqual(4 * stdErr);
    }
  });

  it('says nothing about the hashes that tables, partitions and splits go by', () => {
    const halves = new Int32Array(2);
    const split = (user: string) => {
      hash64(bytesOf(user), 0, bytesOf(user).length, halves);
      return hash53(splitSeed(1), halves[0], halves[1]) < 2 ** 52;
    };
    const others: readonly ((user: string) => boolean)[] = [
      (user) => hashBytes(bytesOf(user), 0, bytesOf(user).length) >= 0,
      (user) => (hashBytes(bytesOf(user), 0, bytesOf(user).length) & 1) === 0,
      (user) => kafkaPartition(bytesOf(user), 2) === 0,
      (user) => kafkaPartition(bytesOf(user), 12) === 7,
      split,
    ];
    for (const other of others) {
      const flags = USERS.map(other);
      for (const k of [1, 2, 3]) {
        expect(
          dependence(
            DEPTHS.map((depth) => depth >= k),
            flags,
          ),
        ).toBeLessThan(15.1);
      }
    }
  });

  it('is the same under whatever number a table has the user', () => {
    const forwards = new Interner();
    const backwards = new Interner();
    const some = USERS.slice(0, 3000);
    const intern = (table: Interner, user: string) =>
      table.intern(bytesOf(user), 0, user.length, hashBytes(bytesOf(user), 0, user.length));
    for (const user of some) intern(forwards, user);
    for (const user of some.toReversed()) intern(backwards, user);
    const [one, other] = [new UserDepths(forwards), new UserDepths(backwards)];
    // In no order, so that some are asked for before the depths of others are known.
    for (const [n, user] of some.entries()) {
      const wanted = DEPTHS[n];
      expect(one.of(intern(forwards, user))).toBe(wanted);
      expect(other.of(intern(backwards, user))).toBe(wanted);
      expect(one.of(intern(forwards, user))).toBe(wanted);
    }
  });
});
