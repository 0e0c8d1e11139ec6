import { describe, expect, it } from 'vitest';
import { shownListFindings } from '../../../src/features/on-policy/findings.js';
import type { OnPolicyReport } from '../../../src/features/on-policy/report.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { leadingNumbers } from '../../../src/rows/leading-numbers.js';
import type { WindowSnapshot } from '../../../src/stream/tick/snapshot.js';
import { paneSnapshot } from '../../support/drift.js';
import { estimateOf, shownOf, valueRowOf } from '../../support/rows.js';

const [window] = paneSnapshot(3, { models: { a: { naive: 0.3, snips: 0.2 } } }).windows;
const report = (more: Partial<OnPolicyReport> = {}): OnPolicyReport => ({
  refused: null,
  values: [shownOf()],
  named: 100,
  elsewhere: 0,
  ...more,
});
const withheld = window.results.map((row) => ({ ...row, status: 'withheld' as const }));
const found = (more: Partial<WindowSnapshot>) =>
  shownListFindings({ ...window, ...more }).map((finding) => [finding.code, finding.severity]);

describe('findings on served lists', () => {
  it('are none without an on-policy report, or while estimates lead', () => {
    expect(found({})).toEqual([]);
    expect(found({ onPolicy: report(), leads: 'estimates' })).toEqual([]);
  });

  it('report that reward per request leads, as a problem below 30 effective users', () => {
    expect(found({ onPolicy: report(), leads: 'on_policy' })).toEqual([
      ['on_policy_leads', 'caution'],
    ]);
    const few = report({ values: [shownOf({ ess: 29.9 })] });
    expect(found({ onPolicy: few, leads: 'on_policy' })).toEqual([['on_policy_leads', 'problem']]);
  });

  it('report unknown rewards if estimates are withheld and no interaction is attributed', () => {
    const none = report({ refused: 'exposures_not_named', values: [], named: 0 });
    expect(found({ onPolicy: none })).toEqual([]);
    expect(found({ onPolicy: none, results: withheld })).toEqual([['rewards_unknown', 'caution']]);
  });

  it('report too many unknown lists, and models whose lists have no attributed interaction', () => {
    expect(found({ onPolicy: report({ elsewhere: 5 }) })).toEqual([]);
    expect(found({ onPolicy: report({ elsewhere: 6 }) })).toEqual([['lists_not_known', 'caution']]);
    const never = (lists: number) =>
      report({ values: [shownOf(), shownOf({ model: 'b', value: 0, ess: 0, lists })] });
    expect(found({ onPolicy: never(29) })).toEqual([]);
    expect(found({ onPolicy: never(30) })).toEqual([['never_named', 'caution']]);
    const [finding] = shownListFindings({ ...window, onPolicy: never(30) });
    expect(textOf(finding)).toContain('any of the 30 served lists of b');
  });
});

describe('the leading numbers', () => {
  const of = (said: object) =>
    estimateOf({
      model: 'a',
      metric: 'recall',
      k: 10,
      estimator: 'snips',
      aggregation: 'pooled',
      value: 0.1,
      stdErr: 0,
      lower: 0,
      upper: 1,
      ess: 50,
      ...said,
    });
  const row = of({ withheld: 'own_lists', caused: 0.5 });
  const uncaused = (ess: number) => ({
    uncaused: {
      results: [{ ...window.results[0], ess }],
      differences: [],
      effectiveSampleSizes: [],
      rows: 1,
      users: 1,
    },
  });

  it('are estimates while one from organic rows is reported', () => {
    expect(leadingNumbers([], undefined, report())).toBe('estimates');
    const given = of({ withheld: null, caused: 0.01 });
    expect(leadingNumbers([row, given], uncaused(50), report())).toBe('estimates');
    // An estimate from randomised traffic alone does not lead.
    expect(leadingNumbers([row, of({ withheld: null })], uncaused(50), report())).toBe('uncaused');
  });

  it('depend on the sample size of pooled snips, or else of the first estimator', () => {
    const { results } = paneSnapshot(3, { models: { a: { naive: 0.3, snips: 0.2 } } }).windows[0];
    const withEss = (sizes: Readonly<Record<string, number>>) =>
      results
        .filter(({ estimator }) => estimator in sizes)
        .map((each) => ({ ...each, ess: sizes[each.estimator] as number }));
    const leads = (sizes: Readonly<Record<string, number>>) => {
      const found = { ...uncaused(0).uncaused, results: withEss(sizes) };
      return leadingNumbers([row], { uncaused: found }, report());
    };
    expect(leads({ naive: 35, snips: 6 })).toBe('on_policy');
    expect(leads({ naive: 6, snips: 35 })).toBe('uncaused');
    expect(leads({ naive: 35 })).toBe('uncaused');
    const [{ ess: _, ...rest }] = results.filter(({ estimator }) => estimator === 'snips');
    const forms = [
      { ...rest, form: 'user' as const, ess: 35 },
      { ...rest, form: 'pooled' as const, ess: 6 },
    ];
    const found = { ...uncaused(0).uncaused, results: forms };
    expect(leadingNumbers([row], { uncaused: found }, report())).toBe('on_policy');
  });

  it('are values before organic ones if a value from all arms supports a decision', () => {
    const values = (estimator: 'arms_snips' | 'on_policy', decides: boolean) => [
      valueRowOf({ estimator, decides }),
    ];
    const leads = (...own: ReturnType<typeof values>) =>
      leadingNumbers([row], uncaused(50), report(), own);
    expect(leads(...values('arms_snips', true))).toBe('values');
    expect(leads(...values('arms_snips', false))).toBe('uncaused');
    expect(leads(...values('on_policy', true))).toBe('uncaused');
    const given = of({ withheld: null, caused: 0.01 });
    const own = values('arms_snips', true);
    expect(leadingNumbers([row, given], uncaused(50), report(), own)).toBe('estimates');
  });

  it('are not estimates that only mode `caution` does not withhold', () => {
    const objected = of({ caused: 1, isDoubtful: true, objection: 'caused_by_lists' });
    expect(leadingNumbers([objected], { uncaused: null }, report())).toBe('on_policy');
    expect(leadingNumbers([objected], uncaused(50), report())).toBe('uncaused');
    const given = of({ withheld: null, caused: 0.05 });
    expect(leadingNumbers([objected, given], uncaused(50), report())).toBe('estimates');
  });

  it('are organic interactions from 30 effective users on, else reward per request', () => {
    expect(leadingNumbers([row], uncaused(30), report())).toBe('uncaused');
    expect(leadingNumbers([row], uncaused(29.9), report())).toBe('on_policy');
    expect(leadingNumbers([row], { uncaused: null }, report())).toBe('on_policy');
    const partly = { uncaused: null, source: 'arms', named: 0.01 } as const;
    expect(leadingNumbers([row], partly, report())).toBe('estimates');
    expect(leadingNumbers([row], { uncaused: null }, report({ values: [] }))).toBe('estimates');
  });
});
