import type { PairEvidence } from '../evidence.js';
import { byPair, judge } from '../judge.js';
import type { ValueDifferenceRow } from './value-differences.js';

/**
 * Differences with what is proved of each: what one look at the window says of the pair by requests. It
 * is a claim of these requests: looked at again and again, chance proves something in the end.
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
