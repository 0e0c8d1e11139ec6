import { afterEach, describe, expect, it } from 'vitest';
import { hashBytes, keyTables } from '../../../../src/events/hash.js';
import { BinaryWriter } from '../../../../src/state/binary/binary-writer.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { IdLog, RecentShard } from '../../../../src/state/ids/recent-ids.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { repetitions } from '../../../support/repetitions.js';

const KEY = Int32Array.of(0x1b56c4e9, -0x3a7f_1d25, 0x5f2e_9b73);
/** 2^7 ids, each made of one of two blocks seven times: 8,000 probes where they collide. */
const CHOICES = repetitions(7, 13);

afterEach(() => keyTables(undefined));

type Pair = readonly [Buffer, Buffer];

/** Pairs of ASCII blocks that lead from the same state to the same, found by trying. */
function pairsFound(): Pair[] {
  const pairs: Pair[] = [];
  let prefix = Buffer.alloc(0);
  for (let n = 0; n < CHOICES; n++) {
    const seen = new Map<number, Buffer>();
    for (let tried = 0; ; tried++) {
      // Both words of the block differ from one to the next.
      const spread = Math.imul(tried, 0x9e3779b1) >>> 0;
      const block = Buffer.from(spread.toString(36).padStart(8, '0'));
      const hash = hashBytes(Buffer.concat([prefix, block]), 0, prefix.length + 8);
      const other = seen.get(hash);
      if (other !== undefined) {
        pairs.push([other, block]);
        prefix = Buffer.concat([prefix, block]);
        break;
      }
      seen.set(hash, block);
    }
  }
  return pairs;
}

const inverse = (odd: number): number => {
  let found = odd;
  for (let i = 0; i < 5; i++) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found;
};

/** The word that MurmurHash3's published multipliers make this one of. */
function unscrambled(word: number): number {
  const product = Math.imul(word, inverse(0x1b873593));
  return Math.imul((product >>> 15) | (product << 17), inverse(0xcc9e2d51));
}

function block(...scrambled: number[]): Buffer {
  const bytes = Buffer.alloc(8);
  for (const [n, word] of scrambled.entries()) bytes.writeInt32LE(unscrambled(word), 4 * n);
  return bytes;
}

/** Pairs that collide whatever the hash starts with: the second word undoes what the first changed. */
function pairsForEveryStart(): Pair[] {
  return Array.from({ length: CHOICES }, (_, n): Pair => {
    const [one, two] = [0x1234567 * (n + 1), 0x7654321 * (n + 3)].map((word) => word | 0) as [
      number,
      number,
    ];
    return [block(one, two), block(one ^ (1 << 18), two ^ (1 << 31))];
  });
}

function idsOf(pairs: readonly Pair[]): Buffer[] {
  return Array.from({ length: 1 << pairs.length }, (_, n) =>
    Buffer.concat(pairs.map((pair, bit) => pair[(n >>> bit) & 1] as Buffer)),
  );
}

/**
 * Total distance of the ids from their own slots: the extra slots that a search for each id
 * examines.
 */
function probes(ids: readonly Buffer[]): number {
  const table = new Interner();
  for (const id of ids) table.intern(id, 0, id.length, hashBytes(id, 0, id.length));
  expect(table.size).toBe(ids.length);
  const { segments } = table as unknown as { readonly segments: readonly Int32Array[] };
  let total = 0;
  for (const slots of segments) {
    const mask = slots.length - 1;
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at + 1] !== 0) total += ((at - (slots[at]! << 1)) & mask) / 2;
    }
  }
  return total;
}

describe.each([
  ['found by trying', pairsFound],
  ['made to collide whatever the hash starts with', pairsForEveryStart],
])('ids that were %s', (_, pairs) => {
  it('probe all other ids without a secret key, and few with one', () => {
    const ids = idsOf(pairs());
    const count = ids.length;
    keyTables(Int32Array.of(pairs === pairsFound ? 0 : KEY[0]!, 0xcc9e2d51 | 0, 0x1b873593));
    expect(probes(ids)).toBe((count * (count - 1)) / 2);
    keyTables(KEY);
    expect(probes(ids)).toBeLessThan(4 * count);
  });
});

describe('event hashes that collide in one slot', () => {
  const COUNT = repetitions(3_000, 40_000);
  const OTHER = Int32Array.of(0x6b1d_88a7, 0x1f3c_5d71, -0x4471_2b69);
  const halves = (n: number): [number, number] => [Math.imul(n, 0x9e3779b1), n << 16];

  function shardOf(key: Int32Array, log = new IdLog(true)): RecentShard {
    keyTables(key);
    const shard = new RecentShard(log);
    for (let n = 0; n < COUNT; n++) shard.put(...halves(n), n, n % 7);
    return shard;
  }

  /** The most slots in a row that are taken: no event is looked for along more. */
  function longestRun({ slots }: RecentShard): number {
    let longest = 0;
    let run = 0;
    for (let slot = 0; slot < slots.length; slot += 2) {
      run = slots[slot + 1] === 0 ? 0 : run + 1;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  it('are all found within short runs of slots', () => {
    const shard = shardOf(KEY);
    expect(longestRun(shard)).toBeLessThan(500);
    expect(shard.used).toBe(COUNT);
    const numbers = Array.from({ length: COUNT }, (_, n) => n);
    expect(numbers.filter((n) => shard.get(...halves(n), n, 0) !== n % 7)).toEqual([]);
    expect(shard.get(...halves(COUNT), COUNT, 0)).toBe(-1);
  });

  it('are written identically under every key', () => {
    const stored = (key: Int32Array) => {
      const log = new IdLog(true);
      const { slots } = shardOf(key, log);
      const to = new BinaryWriter();
      runAtOnce(log.capture()(to));
      return { slots, bytes: Buffer.concat(to.finish()) };
    };
    expect(stored(KEY).slots).not.toEqual(stored(OTHER).slots);
    expect(stored(KEY).bytes).toEqual(stored(OTHER).bytes);
  });
});
