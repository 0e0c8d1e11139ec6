import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedNumbers } from '../../src/errors.js';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import { type OrganicWork, organicEstimates } from '../../src/estimators/lanes/lane-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { PartitionSums, Rounds } from '../../src/estimators/partitions/rounds.js';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { DEFAULTS, estimate, type PlainWindow, toCounts, windowParts } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';
import { everyOther } from '../support/several-processes.js';

const options = fc.record({
  gamma: fc.constantFrom(-1, 0.7, 2),
  interval: fc.constantFrom('t-logit' as const, 'korn-graubard' as const, 'bootstrap' as const),
  feedback: fc.constantFrom('ignore' as const, 'withhold' as const),
  userForm: fc.constantFrom('plain' as const, 'corrected' as const),
  reference: fc.constantFrom('first', 'second'),
});

const ASKED = {
  metrics: ['recall', 'dcg', 'auc', 'ndcg'] as const,
  ks: [2],
  estimators: ESTIMATORS.filter((name) => name !== 'wtd_ipf'),
  guarantees: GUARANTEES,
};

const NAMES = {
  called: everyOther([...Array(100).keys()]),
  textOf: (item: number) => `item ${item} ✓`,
  itemOf: (text: string) => Number(text.split(' ')[1]),
};

/** As from another process: all that comes of a part's sums is their bytes. */
function throughBytes(see: (into: PartitionSums<unknown>, bytes: Uint8Array) => void): Rounds {
  return {
    names: NAMES,
    *gather(into, parts, fill) {
      for (const part of parts) {
        const own = into.ofOthers();
        yield* fill(own, part);
        const bytes = own.encode();
        see(into, bytes);
        into.merge(into.decode(bytes));
      }
      return into;
    },
  };
}

function workOf(see: (into: PartitionSums<unknown>, bytes: Uint8Array) => void): OrganicWork {
  const rounds = throughBytes(see);
  return (job, extras, sliceRows) => organicEstimates(job, { ...extras, rounds }, sliceRows);
}

describe('sums of a partition as bytes', () => {
  it('do not depend on which items without a count a process knows', () => {
    const bytesOf = (window: PlainWindow, asked: Partial<EstimateOptions>) => {
      const seen: Uint8Array[] = [];
      const rounds = throughBytes((_, bytes) => seen.push(bytes));
      const parts = windowParts(window, (user) => user % 2, 2);
      const all = { ...DEFAULTS, ...ASKED, ...asked };
      const { models } = window;
      runAtOnce(estimateWindow(parts, toCounts(window), models, all, undefined, undefined, rounds));
      return seen;
    };
    fc.assert(
      fc.property(plainWindow({ minCount: 1 }), options, (window, asked) => {
        const { popularity, interactions, randomized = [], reach } = window;
        const more: PlainWindow = {
          ...window,
          popularity: [...popularity, 0],
          interactions: [...interactions, 0],
          randomized: [...randomized, 0],
          ids: [...window.ids, 'z'],
          reach: reach && { ...reach, items: [...reach.items, 0] },
        };
        expect(bytesOf(more, asked)).toEqual(bytesOf(window, asked));
      }),
      { numRuns: repetitions(2, 400) },
    );
  });

  it('are the same to the bit', () => {
    const parts = fc.array(fc.nat(3), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(plainWindow(), options, parts, (window, own, part) => {
        const asked = { ...ASKED, ...own };
        const split = (user: number) => part[user];
        const work = workOf((into, bytes) => {
          expect((into.decode(bytes) as PartitionSums<unknown>).encode()).toEqual(bytes);
        });
        const there = estimate(window, asked, split, undefined, work);
        expect(there).toEqual(estimate(window, asked, split));
      }),
      { numRuns: repetitions(3, 400) },
    );
  });

  it('are refused if they were changed, cut short or are of another shape', () => {
    const seen: { into: PartitionSums<unknown>; bytes: Uint8Array }[] = [];
    const work = workOf((into, bytes) => seen.push({ into, bytes }));
    const [window] = fc.sample(
      plainWindow().filter(({ users }) => users.length > 5),
      { numRuns: 1, seed: 1 },
    );
    estimate(window, ASKED, (user) => user % 2, undefined, work);
    estimate(window, { ...ASKED, ks: [3] }, (user) => user % 2, undefined, work);
    const { into, bytes } = seen[0];
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = bytes.slice();
      changed[at] ^= 1 << (at % 8);
      expect(() => into.decode(changed)).toThrow(DamagedNumbers);
      expect(() => into.decode(bytes.subarray(0, at))).toThrow(DamagedNumbers);
    }
    expect(() => into.decode(Uint8Array.of(...bytes, 0))).toThrow(DamagedNumbers);
    expect(() => into.decode(seen.at(-1)!.bytes)).toThrow(DamagedNumbers);
  });
});
