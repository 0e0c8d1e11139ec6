import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesOf } from '../../src/adapters/segments/segmented-checkpoints.js';
import '../support/property-runs.js';
import { SegmentsInMemory, SegmentsThere } from '../support/segments-in-memory.js';

class Ended extends Error {}

/** A process that ends at its nth step. */
function processOf(there: SegmentsThere, steps = Number.POSITIVE_INFINITY): SegmentsInMemory {
  let left = steps;
  return new SegmentsInMemory(there, () => {
    if (left-- <= 0) throw new Ended();
  });
}

async function kept(there: SegmentsThere): Promise<string[]> {
  const found: string[] = [];
  for await (const bytes of processOf(there).load(0)) found.push(Buffer.from(bytes).toString());
  return found;
}

/** Pieces as states have them: some stay, some go at the front, some come, some change. */
const rounds = fc.array(
  fc.record({
    drop: fc.nat(3),
    add: fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 4 }),
    change: fc.option(fc.nat(20), { nil: undefined }),
    /** At which step the process ends; it does not where it takes fewer. */
    ends: fc.option(fc.nat(12), { nil: undefined }),
    replace: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

describe('checkpoints in segments', () => {
  it('leave the new or the previous one if the process dies while saving', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const there = new SegmentsThere();
        let store = processOf(there);
        let epoch = await store.takeEpoch();
        let pieces: string[] = [];
        let wanted: string[] = [];
        for (const [n, { drop, add, change, ends, replace }] of all.entries()) {
          pieces = [...pieces.slice(drop), ...add];
          if (change !== undefined && change < pieces.length) pieces[change] = `changed ${n}`;
          if (ends !== undefined) {
            store = processOf(there, ends);
            epoch = await store.takeEpoch();
          }
          const texts = [`head ${n}`, ...pieces].map((text) => Buffer.from(text));
          const whole = Buffer.concat(texts).toString();
          const before = replace ? [] : wanted;
          const writing = replace ? store.replace(0, epoch, texts) : store.save(0, epoch, texts);
          const outcome = await writing.catch((error: unknown) => {
            if (!(error instanceof Ended)) throw error;
            return 'ended';
          });
          const after = [whole, ...before].slice(0, 2);
          const found = await kept(there);
          if (outcome === 'saved') expect(found).toEqual(after);
          else
            expect([JSON.stringify(wanted), JSON.stringify(after)]).toContain(
              JSON.stringify(found),
            );
          wanted = found;
          if (outcome !== 'saved') {
            store = processOf(there);
            epoch = await store.takeEpoch();
            continue;
          }
          // Nothing is left of those that ended.
          expect([...there.segments.keys()].sort()).toEqual(
            [...new Set(namesOf(there.manifests))].sort(),
          );
        }
      }),
    );
  });

  it('hold no byte of data that a replacement leaves out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 12 }), fc.nat(12), async (texts, at) => {
        const there = new SegmentsThere();
        const store = processOf(there);
        const epoch = await store.takeEpoch();
        const others = texts.map((text) => Buffer.from(text));
        const secret = Buffer.from('the name of somebody');
        for (const end of ['a', 'b', 'c']) {
          const pieces = [...others.slice(0, at), secret, ...others.slice(at), Buffer.from(end)];
          await store.save(0, epoch, pieces);
        }
        await store.replace(0, epoch, [...others, Buffer.from('c')]);
        for (const bytes of there.segments.values()) {
          expect(Buffer.from(bytes).includes(secret)).toBe(false);
        }
        expect(await kept(there)).toEqual([
          Buffer.concat([...others, Buffer.from('c')]).toString(),
        ]);
      }),
    );
  });

  it('rewrite the contents of a lost segment', async () => {
    const there = new SegmentsThere();
    const store = processOf(there);
    const epoch = await store.takeEpoch();
    const pieces = (end: string) => ['stays', end].map((text) => Buffer.from(text));
    await store.save(0, epoch, pieces('first'));
    await store.save(0, epoch, pieces('second'));
    there.segments.delete(there.manifests[0]!.segments[0]![0]);
    expect(await store.isWhole(0)).toBe(false);
    await store.save(0, epoch, pieces('third'));
    expect((await kept(there))[0]).toBe('staysthird');
  });

  it('write a piece about once for many checkpoints, and stay few', async () => {
    const there = new SegmentsThere();
    const store = processOf(there);
    const epoch = await store.takeEpoch();
    const piece = (n: number) => Buffer.alloc(10_000, `${n} `);
    const all: Buffer[] = [];
    for (let n = 0; n < 400; n++) {
      all.push(piece(n));
      await store.save(0, epoch, all.slice(-300));
    }
    // Once as they come, once when there are too many segments, and what says where they are.
    const tables = 400 * 300 * 28;
    expect(there.written - tables).toBeLessThan(2.5 * 400 * 10_000);
    expect(there.manifests[0]!.segments.length).toBeLessThanOrEqual(130);
    expect(there.bytes).toBeLessThan(3 * 300 * 10_000 + 2 * 130 * 300 * 28);
    expect((await kept(there))[0]!.length).toBe(300 * 10_000);
  });
});
