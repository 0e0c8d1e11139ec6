import { describe, expect, it } from 'vitest';
import {
  judgePair,
  type PairLook,
  type PairMemory,
} from '../../../src/features/verdicts/judge-pair.js';
import type { PairedDifference } from '../../../src/features/verdicts/paired-difference.js';

function difference(value: number, stdErr = 0.01): PairedDifference {
  return { value, stdErr, ess: 900, groups: 1024, own: 0.5 + value, other: 0.5 };
}

/** The same difference by every γ and in every form. */
function look(value: number, changes: Partial<PairLook> = {}): PairLook {
  const all = [0, 1, 2].map(() => difference(value));
  return {
    ...{ model: 'personal', reference: 'blend', gammas: [0.5, 1, 1.5] },
    ...{ since: all, wholeDays: all, lastDay: difference(value, 0.02) },
    ...{
      uncorrected: difference(value),
      rung: 'experiment',
      objection: null,
      comparisons: 1,
      marginShare: 0.01,
    },
    ...changes,
  };
}

const MEMORY: PairMemory = { spreads: [0.02, 0.02, 0.02], margin: 0.005, standing: 0 };

function stateOf(asked: PairLook, memory: PairMemory = MEMORY) {
  const { state, reason, better } = judgePair(asked, memory).verdict;
  return { state, reason, better };
}

describe('the verdict on a pair', () => {
  it('prefers the better one by the evidence, with the interval of all looks', () => {
    const { verdict, memory } = judgePair(look(0.04), MEMORY);
    expect(verdict).toMatchObject({ state: 'prefer', better: 'personal', reason: null });
    // .030824 by the normal distribution, a little more by the t of 899.
    expect(verdict.upper - verdict.value).toBeGreaterThan(0.030824);
    expect(verdict.upper - verdict.value).toBeLessThan(0.031);
    expect(memory?.standing).toBe(1);
    expect(stateOf(look(-0.04))).toMatchObject({ state: 'prefer', better: 'blend' });
  });

  it('does not know at three errors', () => {
    expect(stateOf(look(0.03))).toEqual({ state: 'undecided', reason: null, better: null });
  });

  it('needs more evidence of one pair among many', () => {
    expect(stateOf(look(0.04, { comparisons: 2016 })).state).toBe('undecided');
    expect(stateOf(look(0.055, { comparisons: 2016 })).state).toBe('prefer');
  });

  it('freezes spread and margin when the first day is over', () => {
    const { memory } = judgePair(look(0.01), undefined);
    expect(memory).toEqual({ spreads: [0.02, 0.02, 0.02], margin: 0.005, standing: 0 });
    const later = judgePair(
      { ...look(0.01), since: [0, 1, 2].map(() => difference(0.2, 0.001)) },
      memory,
    );
    expect(later.memory).toMatchObject({ spreads: [0.02, 0.02, 0.02], margin: 0.005 });
  });

  it.each([0, 2])(
    'does not know where γ number %i says otherwise, and says from which γ on',
    (p) => {
      const since = look(0.04).since.map((each, at) => (at === p ? difference(-0.04) : each));
      const { verdict } = judgePair(look(0.04, { since }), MEMORY);
      expect(verdict.state).toBe('undecided');
      expect(verdict.flip).toEqual({
        gamma: p === 0 ? 0.75 : 1.25,
        winsBelow: p === 0 ? 'blend' : 'personal',
      });
    },
  );

  it('is no preference where the last day contradicts it', () => {
    const lastDay = difference(-0.01, 0.02);
    expect(stateOf(look(0.04, { lastDay }))).toMatchObject({
      state: 'changed',
      better: 'personal',
    });
    expect(judgePair(look(0.04, { lastDay }), MEMORY).memory?.standing).toBe(1);
  });

  it('says where numbers without correction say the opposite', () => {
    const opposite = (value: number) =>
      judgePair(look(0.04, { uncorrected: difference(value) }), MEMORY).verdict.saysOpposite;
    expect(opposite(-0.02)).toBe(true);
    expect(opposite(-0.019)).toBe(false);
    expect(opposite(0.04)).toBe(false);
  });
});
