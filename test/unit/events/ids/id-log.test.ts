import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdLog } from '../../../../src/events/id-log.js';
import { seeded } from '../../../oracle/random.js';

type Pair = readonly [high: number, low: number];

function repeatsOf(batches: readonly (readonly Pair[])[]): number[] | undefined {
  const log = new IdLog();
  for (const batch of batches) {
    // Columns are larger than their content, and are reused.
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

/** By definition: remember each pair that came before. */
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
  it('flags repeated ids like a Set of pairs, including zeros', () => {
    const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(half, half)), { maxLength: 8 }), (batches) => {
        expect(repeatsOf(batches)).toEqual(slowRepeats(batches));
      }),
    );
  });

  it('flags repeated ids with many buckets, of which one holds most ids', () => {
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
