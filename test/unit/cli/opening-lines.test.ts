import { describe, expect, it } from 'vitest';
import type { AbAnswer } from '../../../src/features/verdicts/answer.js';
import { evaluationSummary } from '../../../src/outputs/text/evaluation.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { withheldOf } from '../../support/rows.js';
import { aLift, anAnswer } from '../../support/shop-test.js';

function snapshotWith(experiment: AbAnswer): Snapshot {
  const base = makeSnapshot({
    windows: ['all'],
    models: experiment.arms.map(({ model }) => model),
  });
  const windows = base.windows.map((window) => ({
    ...window,
    feedback: feedbackReport(1),
    results: window.results.map((row) => withheldOf({ ...row, k: 10 }, 'caused_by_lists')),
  }));
  return { ...base, windows, experiment };
}

function linesOf(experiment: AbAnswer): string[] {
  return evaluationSummary(snapshotWith(experiment), 0, new Outcomes()).trimEnd().split('\n');
}

describe('the answer to an A/B test', () => {
  it('gives verdict, grounds, table and checks in this order', () => {
    expect(linesOf(anAnswer())).toEqual([
      'treatment beats control: 1.56 vs 0.94 clicks per user, +66 % (95 % CI +55 % to +77 %).',
      'A/B test by user, if users were assigned at random: 1,500 vs 1,500 users over 3 days.',
      '',
      '  model      clicks/user        vs control  clicks/list  recall@10, organic, corrected',
      '  treatment         1.56  +66 % (+55, +77)         0.52                              –',
      '  control           0.94                           0.31                              –',
      '',
      'recall is not reported: every click came from a list that these models served. (unskew explain recall)',
      'Fine otherwise: 0 invalid events. Split 50.0 : 50.0, not tested (test it with --split control=0.5,treatment=0.5). Details: --all',
    ]);
  });

  it('says that a model loses, with its lift', () => {
    const worse = aLift({
      difference: -0.14,
      lower: -0.21,
      upper: -0.07,
      lift: -0.15,
      liftLower: -0.22,
      liftUpper: -0.07,
      better: 'control',
    });
    const arms = anAnswer().arms.map((arm) =>
      arm.model === 'treatment' ? { ...arm, perUser: 0.8 } : arm,
    );
    expect(linesOf(anAnswer({ arms, lifts: [worse] }))[0]).toBe(
      'treatment loses to control: 0.80 vs 0.94 clicks per user, −15 % (95 % CI −22 % to −7 %).',
    );
  });

  it('gives the difference if the lift is unknown', () => {
    const unknown = aLift({
      lift: Number.NaN,
      liftLower: Number.NaN,
      liftUpper: Number.NaN,
      verdict: 'undecided',
      better: null,
    });
    const lines = linesOf(anAnswer({ lifts: [unknown] }));
    expect(lines[0]).toBe(
      'Can’t tell yet whether treatment beats control: 1.56 vs 0.94 clicks per user, +0.62 (95 % CI +0.54 to +0.70).',
    );
    expect(lines[4]).toContain('+0.62 (+0.54, +0.70)');
  });

  it('names the unit of a sharper form, and lists for a split by request', () => {
    const sharper = aLift({ of: 'per_request', lift: 0.68 });
    expect(linesOf(anAnswer({ lifts: [sharper] }))[0]).toMatch(
      /: 0\.52 vs 0\.31 clicks per list, \+68 %/,
    );
    const request = anAnswer({ unit: 'request', lifts: [aLift({ of: 'per_request' })] });
    const [, grounds, , head] = linesOf(request);
    expect(grounds).toBe(
      'A/B test by request, if requests were assigned at random: 4,500 vs 4,500 lists over 3 days.',
    );
    expect(head).toMatch(/^ {2}model +clicks\/list +vs control +recall@10/);
  });

  it('says that a configured split was tested, and over which days', () => {
    const split = {
      declared: { control: 0.5, treatment: 0.5 },
      served: anAnswer().split.served,
      p: 0.53,
    };
    const stated = { split, isRandomisationAssumed: false, days: 5, isWeekdaysOnly: true };
    const lines = linesOf(anAnswer(stated));
    expect(lines[1]).toBe(
      'A/B test by user: 1,500 vs 1,500 users over 5 days, weekdays only. Split as configured (p = 0.53).',
    );
    expect(lines.at(-1)).toBe(
      'Fine otherwise: 0 invalid events. Split 50.0 : 50.0, tested (p = 0.53). Details: --all',
    );
  });

  it('names the reward as purchase value or as purchases', () => {
    const money = anAnswer({ reward: { action: 'purchase', by: 'value' } });
    expect(linesOf(money)[0]).toContain('1.56 vs 0.94 purchase value per user');
    const purchases = anAnswer({ reward: { action: 'purchase', by: 'count' } });
    expect(linesOf(purchases)[3]).toContain('purchases/user');
  });

  it('has a refused verdict in its first line, and the numbers below it', () => {
    const refusal = {
      code: 'shares_off',
      figures: { served: 0.68, stated: 0.6 },
      of: ['control'],
    } as const;
    const lines = linesOf(anAnswer({ refusal, lifts: [aLift({ verdict: 'none', better: null })] }));
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      /^No verdict on treatment vs control: sample ratio mismatch\. \S+ served 68\.0 % of users; 60\.0 % was configured\./,
    );
    expect(lines[4]).toContain('+66 % (+55, +77)');
  });

  it('does not call a refused split as configured', () => {
    const refusal = {
      code: 'shares_off',
      figures: { served: 0.5, stated: 0.6 },
      of: ['control'],
    } as const;
    const split = {
      declared: { control: 0.6, treatment: 0.4 },
      served: anAnswer().split.served,
      p: 1e-9,
    };
    const answer = anAnswer({ refusal, split, isRandomisationAssumed: false });
    expect(linesOf(answer).join(' ')).toContain(
      'over 3 days. Served 50.0 : 50.0; 60 : 40 was configured (p < 0.001).',
    );
    expect(linesOf(answer).at(-1)).toContain('Split 50.0 : 50.0, tested (p < 0.001).');
  });

  it('has a line for each of three cautions, those of the test first', () => {
    const cautions = [
      { code: 'requests_differ', figures: { lift: 0.3, z: 5 }, of: ['treatment'] },
      { code: 'shrinking', figures: { share: 0.5, day: 2, z: 4 }, of: ['treatment'] },
      { code: 'strays', figures: { share: 0.01 }, of: [] },
    ] as const;
    expect(linesOf(anAnswer({ cautions })).slice(7)).toEqual([
      'Users of treatment made 30 % more requests than users of the control. (unskew explain test_requests_differ)',
      'The difference is shrinking: 50 % of it has gone since day 2. (unskew explain test_shrinking)',
      '1 % of lists came from another arm than the user’s own, so the difference is understated. (unskew explain test_strays)',
      '1 more caution; 0 invalid events. Split 50.0 : 50.0, not tested (test it with --split control=0.5,treatment=0.5). Details: --all',
    ]);
  });

  it('shows the five largest arms with the pair of the verdict, and counts the others', () => {
    const names = Array.from({ length: 12 }, (_, n) => `arm-${n}`);
    // The winner is the smallest; an arm with few clicks has no interval, unless the verdict is on it.
    const arms = names.map((model, n) => ({
      model,
      users: 2000 - n,
      requests: 6000,
      rewards: n === 1 || n === 11 ? 12 : 1000,
      perUser: 1 + n / 10,
      perRequest: 0.3,
    }));
    const lifts = names.slice(1).map((model) => {
      const isBest = model === 'arm-11';
      return aLift({
        model,
        verdict: isBest ? 'prefer' : 'undecided',
        better: isBest ? model : null,
      });
    });
    const served = Object.fromEntries(names.map((name) => [name, 1 / 12]));
    const split = { declared: null, served, p: Number.NaN };
    const lines = linesOf(anAnswer({ control: 'arm-0', arms, lifts, split }));
    expect(lines.length).toBeLessThanOrEqual(12);
    const rows = lines
      .filter((line) => /^ {2}arm-/.test(line))
      .map((line) => line.trim().split(/\s{2,}/));
    expect(rows.map(([model]) => model)).toEqual(['arm-11', 'arm-3', 'arm-2', 'arm-0', 'arm-1']);
    expect(rows[0]).toContain('+66 % (+55, +77)');
    expect(rows[4]!.slice(0, 3)).toEqual(['arm-1', 'too few clicks', '–']);
    expect(lines).toContain('  7 more models: --all');
  });
});
