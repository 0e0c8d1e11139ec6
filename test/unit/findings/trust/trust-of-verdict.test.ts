import { describe, expect, it } from 'vitest';
import { reason } from '../../../../src/features/values/reasons.js';
import type { PairVerdict } from '../../../../src/features/verdict.js';
import { wordedTrust } from '../../../../src/rows/findings/window-trust.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { valueRowOf } from '../../../support/rows.js';
import { aVerdict } from '../../../support/verdict.js';

function trustOf(changes: Partial<PairVerdict>, more?: Parameters<typeof wordedTrust>[2]) {
  const snapshot = { ...makeSnapshot(), verdicts: [aVerdict(changes)] };
  return wordedTrust(snapshot, snapshot.windows[0]!, more);
}

const EARNED = { metric: 'value', k: null, state: 'prefer', better: 'personal' } as const;

describe('trust in the numbers', () => {
  it('is judged for the metric of the verdict, not the first of the window', () => {
    const { results } = makeSnapshot().windows[0]!;
    expect(results[0]).toMatchObject({ metric: 'recall', k: 5 });
    expect(trustOf({ metric: 'recall', k: 10 }).measure).toEqual({ metric: 'recall', k: 10 });
    expect(trustOf({ metric: 'dcg', k: null }).measure).toEqual({ metric: 'dcg', k: null });
  });

  it.each([
    ['experiment', 'yes', /the assignment of models passed all checks of randomness/],
    ['propensities', 'yes', /the assignment of models passed all checks of randomness/],
    ['arms', 'comparisons', /assumes that users examine each position on its own/],
    ['slots', 'comparisons', /assumes that users examine each position on its own/],
    ['observed', 'no', /^The log does not show that models were assigned at random/],
  ] as const)('for reward per request by %s: %s', (rung, answer, why) => {
    const trust = trustOf({ ...EARNED, rung });
    expect(trust).toMatchObject({ answer, measure: { metric: 'value', k: null } });
    expect(trust.reasons[0]!.text).toMatch(why);
  });

  it('ignores a verdict if one of its models has changed since', () => {
    const overtaken = trustOf({ ...EARNED, rung: 'experiment', changed: 'personal' });
    expect(overtaken.reasons.map(({ code }) => code)).not.toContain('chance_decided');
    expect(overtaken.measure).not.toEqual({ metric: 'value', k: null });
  });

  it('is also given for the estimates, in a sentence that names their metric', () => {
    const { answer, reasons } = trustOf({ metric: 'recall', k: 5 });
    const beside = trustOf({ ...EARNED, rung: 'experiment' }).reasons.slice(1);
    expect(answer).toBe('comparisons');
    expect(beside[0]!.text).toBe(
      'Apart from the verdict, the estimates of recall@5 can be trusted for comparisons only.',
    );
    expect(beside.slice(1)).toEqual(reasons);
  });

  it('is no while the service is unwell, whatever the verdict', () => {
    const unwell = {
      code: 'service_unwell',
      severity: 'problem',
      subject: {},
      figures: {},
    } as const;
    const { answer, reasons } = trustOf({ ...EARNED, rung: 'experiment' }, [unwell]);
    expect([answer, reasons[0]!.code]).toEqual(['no', 'service_unwell']);
    expect(reasons.filter(({ code }) => code === 'service_unwell')).toHaveLength(1);
  });

  it('lists cautions on rewards of the verdict’s models before those on estimates', () => {
    const pending = (model: string) =>
      valueRowOf({
        model,
        reasons: [reason('rewards_pending', 'caution', { share: 0.5, most: 0.05 })],
      });
    const codesWith = (model: string) => {
      const snapshot = {
        ...makeSnapshot(),
        verdicts: [aVerdict({ ...EARNED, rung: 'experiment' })],
      };
      const window = { ...snapshot.windows[0]!, values: [pending(model)] };
      return wordedTrust(snapshot, window).reasons.map(({ code }) => code);
    };
    const [ground, next] = codesWith('personal');
    expect([ground, next]).toEqual(['chance_decided', 'value_rewards_pending']);
    expect(codesWith('another').slice(0, 2)).toEqual(['chance_decided', 'estimates_beside']);
  });

  it('is judged for the estimates if the pair has no verdict', () => {
    const none = trustOf({ metric: 'value', k: null, state: 'none', reason: 'few_users' });
    expect(none.measure).toEqual({ metric: 'recall', k: 5 });
  });
});
