import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdLog } from '../../../../src/events/id-log.js';
import { seeded } from '../../../oracle/random.js';

type Pair = readonly [high: number, low: number];

function repeatsOf(batches: readonly (readonly Pair[])[]): number[] | undefined {
  const log = new IdLog();
  for (const batch of batches) {
    // Columns have room for more than is in them, and are used again.
    const high = new Int32Array(batch.length + 3).fill(9);
    const low = new Int32Array(batch.length + 3).fill(9);
    batch.forEach((pair, n) => {
      high[n] = pair[0];
      low[n] = pair[1];
    });
    log.add(high, low, batch.length);
    high.fill(-1);
    low.fill(-1);
  }
  const repeats = log.repeats();
  return repeats && [...repeats];
}

/** From the definition: what came before is remembered one by one. */
function slowRepeats(batches: readonly (readonly Pair[])[]): number[] | undefined {
  const seen = new Set<string>();
  const flags = batches.flat().map((pair) => {
    const isRepeated = seen.has(pair.join());
    seen.add(pair.join());
    return isRepeated ? 1 : 0;
  });
  return flags.includes(1) ? flags : undefined;
}

describe('an IdLog', () => {
  it('tells which ids came before as a Set of pairs would, zeros among them', () => {
    const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(half, half)), { maxLength: 8 }), (batches) => {
        expect(repeatsOf(batches)).toEqual(slowRepeats(batches));
      }),
    );
  });

  it('does so where there are many buckets, and one that holds most ids', () => {
    const random = seeded(3);
    const half = () => Math.floor(random() * 2 ** 32) | 0;
    const pairs = Array.from(
      { length: 60_000 },
      (_, n): Pair => [n % 3 === 0 ? half() : 5, half()],
    );
    expect(repeatsOf([pairs])).toBeUndefined();
    const again = [
      pairs.slice(0, 40_000),
      pairs.slice(30_000),
      [[0, 0]] as const,
      [[0, 0]] as const,
    ];
    expect(repeatsOf(again)).toEqual(slowRepeats(again));
  });
});
