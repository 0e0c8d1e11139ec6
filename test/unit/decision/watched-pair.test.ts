import { describe, expect, it } from 'vitest';
import type { Measured } from '../../../src/estimators/evidence/anchored-rule.js';
import type { PairEvidence } from '../../../src/features/evidence.js';
import { judgePair } from '../../../src/features/judge.js';

function form(value: number, stdErr = 0.01): Measured {
  return { value, stdErr, freedom: 899, spread: 0.02 };
}

/** The same difference by every γ and in every form. */
function evidence(value: number, changes: Partial<PairEvidence> = {}): PairEvidence {
  return {
    model: 'personal',
    reference: 'blend',
    measure: { metric: 'recall', k: 10 },
    rung: 'experiment',
    objection: null,
    ess: 900,
    margin: 0.005,
    anchor: form(value),
    uncorrected: form(value),
    watched: {
      also: [form(value)].map((anchor) => ({ anchor })),
      lastDay: form(value, 0.02),
      standing: 0,
    },
    ...changes,
  };
}

function verdictOn(asked: PairEvidence, comparisons = 1) {
  return judgePair([asked], comparisons, { from: 0, to: 1 });
}

function watchedBeside(value: number, changes: Partial<NonNullable<PairEvidence['watched']>>) {
  const asked = evidence(value);
  return { ...asked, watched: { ...asked.watched!, ...changes } };
}

describe('the verdict on a repeatedly checked pair', () => {
  it('prefers the better model, with an anytime-valid interval', () => {
    const verdict = verdictOn(evidence(0.04));
    expect(verdict).toMatchObject({ state: 'prefer', better: 'personal', rule: 'sequence' });
    // .030824 by the normal distribution, a little more by the t of 899.
    expect(verdict.upper - verdict.value).toBeGreaterThan(0.030824);
    expect(verdict.upper - verdict.value).toBeLessThan(0.031);
    expect(verdictOn(evidence(-0.04))).toMatchObject({ state: 'prefer', better: 'blend' });
    expect(verdictOn(evidence(0.04, { rung: 'metric' })).state).toBe('leads');
  });

  it('is undecided at three standard errors and before the first day is over', () => {
    expect(verdictOn(evidence(0.03))).toMatchObject({ state: 'undecided', better: null });
    const unknown = { ...form(0.5), spread: Number.NaN };
    const verdict = verdictOn(evidence(0.5, { anchor: unknown, margin: Number.NaN }));
    expect(verdict).toMatchObject({ state: 'undecided', better: null, upper: Number.NaN });
  });

  it('needs more evidence for one pair among many', () => {
    expect(verdictOn(evidence(0.04), 2016).state).toBe('undecided');
    expect(verdictOn(evidence(0.055), 2016).state).toBe('prefer');
  });

  it('is undecided if another γ has less evidence, unless the preference already stands', () => {
    const also = [form(0.04), form(0.03)].map((anchor) => ({ anchor }));
    expect(verdictOn(watchedBeside(0.04, { also })).state).toBe('undecided');
    expect(verdictOn(watchedBeside(0.04, { also, standing: 1 })).state).toBe('prefer');
    expect(verdictOn(watchedBeside(0.04, { also, standing: -1 })).state).toBe('undecided');
    expect(verdictOn(watchedBeside(0.0195, { standing: 1 })).state).toBe('undecided');
  });

  it('can be decided or prevented by a sharper form', () => {
    const sharper = (value: number) => ({
      form: { ...form(value, 0.007), spread: 0.014 },
      apart: form(0.002, 0.008),
    });
    const with_ = (anchor: number, value: number) => {
      const forms = { anchor: form(anchor), sharper: sharper(value) };
      return verdictOn({ ...watchedBeside(anchor, { also: [forms] }), ...forms });
    };
    expect(with_(0.03, 0.03)).toMatchObject({ state: 'prefer', value: 0.03, stdErr: 0.007 });
    expect(with_(0.03, 0.03).figures).toMatchObject({ isSharper: 1 });
    expect(with_(0.04, 0.02).state).toBe('undecided');
    expect(with_(0.025, 0.04).state).toBe('undecided');
  });

  it('is "changed" if the last day contradicts it', () => {
    const lastDay = form(-0.01, 0.02);
    expect(verdictOn(watchedBeside(0.04, { lastDay }))).toMatchObject({
      state: 'changed',
      better: 'personal',
    });
  });

  it('reports if the uncorrected numbers say the opposite', () => {
    const opposite = (value: number) => {
      const uncorrected = { value, stdErr: 0.01, freedom: 899 };
      return verdictOn(evidence(0.04, { uncorrected })).saysOpposite;
    };
    expect(opposite(-0.02)).toBe(true);
    expect(opposite(-0.019)).toBe(false);
    expect(opposite(0.04)).toBe(false);
  });
});
