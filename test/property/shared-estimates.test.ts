import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergedEstimates,
  type OrganicWork,
  organicEstimates,
} from '../../src/estimators/lanes/lane-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { LIST_CANDIDATES_UNSTATED, LIST_SAMPLED_FULL } from '../../src/state/panes/window-part.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { finish } from '../oracle/finish.js';
import { estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** As threads do: each share by itself, from what a message leaves of the rows. */
function inShares(shareOf: readonly number[]): OrganicWork {
  return function* work(job, extras, sliceRows) {
    const { estimators } = job.options;
    const shares = [0, 1, 2].map((share) => estimators.filter((_, e) => shareOf[e] === share));
    const found = shares.map((own) => {
      const part = { ...job, options: { ...job.options, estimators: own } };
      return finish(organicEstimates(structuredClone(part), extras, sliceRows));
    });
    const whole = yield* organicEstimates(job, extras, sliceRows);
    const merged = mergedEstimates(job, found);
    const { results, differences, effectiveSampleSizes, segments, interventions } = whole;
    expect(merged).toEqual({ results, differences, effectiveSampleSizes, segments, interventions });
    return { ...whole, ...merged };
  };
}

/** The first model has auc alone: which metric comes first is not for it to say. */
const UNLIKE: PlainWindow = {
  models: ['first', 'second'],
  popularity: Array(12).fill(0),
  interactions: Array(12).fill(0),
  ids: [...'ijldhfkebcag'],
  users: [
    {
      count: 0,
      rows: [
        {
          item: 0,
          positive: true,
          ranks: ['absent', 0],
          lists: [
            { length: 12, candidates: LIST_SAMPLED_FULL },
            { length: 12, candidates: LIST_CANDIDATES_UNSTATED },
          ],
        },
      ],
    },
  ],
};

describe('estimators that are computed apart', () => {
  it('give to the bit and in the same order what they give together', () => {
    const some = fc.shuffledSubarray(ESTIMATORS.filter((name) => name !== 'ips'));
    const shares = fc.array(fc.nat(2), { minLength: ESTIMATORS.length, maxLength: 12 });
    fc.assert(
      fc.property(plainWindow(), some, shares, (window, estimators, shareOf) => {
        const options: Partial<EstimateOptions> = {
          metrics: ['recall', 'precision', 'ndcg', 'auc'],
          estimators,
        };
        const split = (user: number) => user % 2;
        const apart = estimate(window, options, split, undefined, inShares(shareOf));
        expect(apart).toEqual(estimate(window, options, split));
      }),
      { numRuns: repetitions(50, 200), examples: [[UNLIKE, ['wtd_h', 'reg'], [0, 1]]] },
    );
  });
});
