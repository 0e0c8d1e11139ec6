import type { PairEvidence } from '../evidence.js';
import { byPair, judge } from '../judge.js';
import type { ValueDifferenceRow } from './value-differences.js';

/**
 * Set `proved` of each difference by a test: 1 if the model is better than its reference, −1 if it
 * is worse, 0 if neither is shown. The test is valid for one look at this window; repeated looks
 * find false differences.
 */
export function withProved(
  differences: readonly ValueDifferenceRow[],
  evidence: readonly PairEvidence[],
  window: {
    readonly from: number;
    readonly to: number;
  },
): ValueDifferenceRow[] {
  const verdicts = judge(byPair(evidence), window);
  return differences.map((row) => {
    const { model, reference } = row;
    const names = [model, reference];
    const found = verdicts.find(
      (own) => names.includes(own.model) && names.includes(own.reference),
    );
    const proved = found?.better === model ? 1 : found?.better === reference ? -1 : 0;
    return {
      ...row,
      more: { proved },
    };
  });
}
