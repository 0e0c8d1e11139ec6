import { describe, expect, it } from 'vitest';
import type { UnreachedTail } from '../../../src/estimators/results/sensitivity.js';
import { coverageFindings, heavyUserFindings } from '../../../src/rows/findings/coverage.js';
import { type Finding, SEVERITIES } from '../../../src/rows/findings/finding.js';
import { gammaFindings } from '../../../src/rows/findings/gamma.js';
import { rankingFindings } from '../../../src/rows/findings/rankings.js';
import { readingFindings } from '../../../src/rows/findings/reading.js';
import { refusedFindings } from '../../../src/rows/findings/refused.js';
import { sampleFindings, userSampleFindings } from '../../../src/rows/findings/sample.js';
import { windowFindings } from '../../../src/rows/findings/window-findings.js';
import { textOf, worded } from '../../../src/rows/findings/words.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { PropensityReport, WindowSnapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const told = (findings: readonly Finding[]) =>
  findings.map((finding) => `${finding.severity}: ${textOf(finding)}`);

/** A sound window, with changes. */
function windowWith(changes: Partial<WindowSnapshot> = {}): WindowSnapshot {
  const window = makeSnapshot().windows[0]!;
  return {
    ...window,
    results: window.results.map((row) => ({ ...row, ess: 100 })),
    effectiveSampleSizes: window.effectiveSampleSizes.map((row) => ({
      ...row,
      largestShare: 0.01,
    })),
    models: window.models.map((row) => ({ ...row, singletonUserRatio: 0, unranked: 0 })),
    interventions: [],
    refusals: [],
    randomized: { ...window.randomized, users: 0 },
    ...changes,
  };
}

const models = (changes: object) =>
  windowWith().models.map((row, m) => (m === 0 ? { ...row, ...changes } : row));

describe('findings about the sample', () => {
  it('are none for a sound window', () => {
    expect(told(sampleFindings(windowWith()))).toEqual([]);
  });

  it('give the share of sampled users if a limit was exceeded', () => {
    expect(told(userSampleFindings({ ratio: 1 }))).toEqual([]);
    const [finding] = told(userSampleFindings({ ratio: 1 / 16 }));
    expect(finding).toMatch(/^note: Estimates use 1 user in 16, sampled by hash,/);
  });

  it('name users with far more interactions than the median', () => {
    expect(told(heavyUserFindings({}))).toEqual([]);
    const named = ['a', 'b', 'c', 'd', 'e', 'f'].map((user) => ({
      user,
      interactions: 9,
      share: 0.1,
    }));
    const nobody = { users: 50, interactions: 90, median: 2, limit: 40, largestShare: 0.1 };
    const heavyUsers = { ...nobody, apart: 0, apartShare: 0, named: [] };
    expect(told(heavyUserFindings({ heavyUsers }))).toEqual([]);
    const apart = (count: number) => ({
      heavyUsers: { ...heavyUsers, apart: count, apartShare: 0.25, named: named.slice(0, count) },
    });
    expect(told(heavyUserFindings(apart(1)))[0]).toMatch(
      /^caution: One user has 25.%.* of all interactions: a\. This is at least 20 times as many as the median user \(2\)\. Estimates leave/,
    );
    expect(told(heavyUserFindings(apart(2)))[0]).toContain(': a and b. Each has at least 20 times');
    expect(told(heavyUserFindings(apart(6)))[0]).toContain(
      'a, b, c, d, e and 1 more. Each has at least 20 times',
    );
    expect(heavyUserFindings(apart(6))[0].subject.users).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('caution that a corrected mean over users has too few rows per user', () => {
    const [row] = windowWith().results;
    const say = (withinUserEss: number) => {
      const own = { ...row, form: 'user', ess: 100 } as const;
      const results = [
        { ...own, estimator: 'naive' },
        { ...own, estimator: 'snips', more: { ...own.more, withinUserEss } },
        // gs has no withinUserEss of its own.
        { ...own, estimator: 'gs' },
        { ...own, estimator: 'gs', form: 'pooled' },
      ] as const;
      return told(sampleFindings(windowWith({ results })));
    };
    expect(say(5)).toEqual([]);
    expect(say(4.9)).toEqual([
      `caution: The mean over users by snips and gs is only partly debiased for ${row.model}: half of the users have at most 4.9 effective rows, and 5 are needed. Read the estimates over all events instead.`,
    ]);
  });

  it('give the share of the weight on items with one interaction', () => {
    const say = (singleCountShare: number) =>
      told(sampleFindings(windowWith({ singleCountShare })));
    expect(say(0.2)).toEqual([]);
    expect(say(0.31)).toEqual([
      expect.stringMatching(
        /^caution: Items with a single interaction carry 31\u00a0% of the weight\./,
      ),
    ]);
  });

  it('name models without hits on rare items at the deepest cut-off', () => {
    const say = (weight: number, expected: number) => {
      const tail = { model: 'good', below: 40, weight, expected };
      const at = (k: number, tails: readonly UnreachedTail[]) =>
        ({ metric: 'recall', k, bands: [], flips: [], tails }) as const;
      return told(sampleFindings(windowWith({ sensitivity: [at(5, []), at(10, [tail])] })));
    };
    expect(say(0.2, 50)).toEqual([]);
    expect(say(0.6, 4.9)).toEqual([]);
    expect(say(0.6, 5)).toEqual([
      expect.stringMatching(
        /^note: good has no hits at recall@10 on items with fewer than 40 interactions, which carry 60\u00a0% of the weight/,
      ),
    ]);
  });

  it('give the share of users with one event, as a caution if most have one', () => {
    const say = (singletonUserRatio: number) =>
      told(sampleFindings(windowWith({ models: models({ singletonUserRatio }) })));
    expect(say(0.71)).toEqual([
      'caution: In the mean over users, snips and gs equal naive for 71\u00a0% of the users of good, because these have only one event. Read the estimates over all events instead.',
    ]);
    expect(say(0.2)).toEqual([
      'note: In the mean over users, snips and gs equal naive for 20\u00a0% of the users of good, because these have only one event.',
    ]);
  });

  it('name estimators below 30 effective users, but not at 30', () => {
    const results = windowWith().results.map((row) =>
      row.model === 'popular' && row.estimator === 'snips'
        ? { ...row, ess: 29.9 }
        : { ...row, ess: 30 },
    );
    expect(told(sampleFindings(windowWith({ results })))).toEqual([
      'problem: snips for popular has an effective sample size of 29.9 users. Do not decide on fewer than 30.',
    ]);
  });

  it('give the distance of a drawn test set from its weights if it is large', () => {
    const drawn = { rows: 4000, expected: 2000, ess: 900, largestShare: 0.01, distance: 0.34 };
    const summary = { ...makeSnapshot().windows[0]!.interventions[0]!, ...drawn };
    const say = (distance: number) =>
      told(sampleFindings(windowWith({ interventions: [{ ...summary, distance }] })));
    expect(say(0.34)).toEqual([
      `note: The test set of ${summary.estimator} only partly follows its weights: it keeps 50\u00a0% of the pairs, so its total variation distance from the weights is 0.34. A smaller set would follow them more closely.`,
    ]);
    expect(say(0.01)).toEqual([]);
  });

  it('name a single event with a large share of the weight', () => {
    const sizes = windowWith().effectiveSampleSizes;
    const effectiveSampleSizes = [{ ...sizes[1]!, largestShare: 0.23 }, ...sizes.slice(2)];
    expect(told(sampleFindings(windowWith({ effectiveSampleSizes })))).toEqual([
      'caution: A single event carries 23\u00a0% of the weight of snips for good. Do not decide on it, because one event can reverse it.',
    ]);
  });
});

describe('findings about coverage', () => {
  const about = (window: WindowSnapshot, outcomes: Outcomes) =>
    told([...coverageFindings(window), ...readingFindings(outcomes), ...refusedFindings(window)]);

  it('are none if every pair has a list and every event is valid', () => {
    expect(about(windowWith(), new Outcomes())).toEqual([]);
  });

  it('cover pairs without lists, different users, invalid events and unavailable estimators', () => {
    const outcomes = new Outcomes();
    outcomes.accepted = 96;
    outcomes.faults[2] = 4;
    const window = windowWith({
      models: models({ events: 75, unranked: 25, users: 100 }),
      refusals: [{ estimator: 'ure', reason: 'needs randomised traffic' }],
    });
    expect(about(window, outcomes)).toEqual([
      'caution: 25\u00a0% of the positive interactions come from users without a list of good. Its estimates leave these out, so they may be biased. Log its lists for all users.',
      'caution: Models are evaluated on different users: 100 for good, 210 for popular. Log lists of all models for all users.',
      'caution: 4 invalid events (4.0\u00a0% of all) were left out.',
      'note: ure is not available: it needs randomised traffic.',
    ]);
  });
});

describe('findings about γ', () => {
  const report = makeSnapshot().propensity;
  const say = (changes: Partial<PropensityReport>) =>
    told(gammaFindings({ ...report, ...changes }, null));
  const fitsWith = (changes: object) => ({ '*': { ...report.fits['*']!, ...changes } });

  it('say why γ was not fitted', () => {
    const because = (levels: number) =>
      say({ source: 'assumed', fits: fitsWith({ status: 'too_few_levels', levels }) });
    expect(because(4)).toEqual([
      'caution: γ could not be fitted, because too few levels of popularity have exposures, so 2.00 is assumed. Compare the estimates at other values, or log some randomised traffic.',
    ]);
    expect(because(0)[0]).toContain('because no item with earlier interactions was shown');
  });

  it('say whether the exposures agree with a fixed γ', () => {
    const fixed = (gamma: number) =>
      say({
        source: 'fixed',
        fits: fitsWith({ ols: { gamma, stdErr: 0.1, r2: 0.9, intercept: 0 } }),
      });
    expect(fixed(1.85)[0]).toMatch(/^note: .* gives 1.85 ± 0.10, which agrees\.$/);
    expect(fixed(1.5)[0]).toMatch(/^caution: .* gives 1.50 ± 0.10, 5.0 standard errors away/);
  });

  it('give the exponent from randomised traffic', () => {
    const counts = { items: 40, organic: 4000, randomized: 900, lower: 0.5, upper: 0.7 };
    const test = { beta: 0.61, stdErr: 0.05, used: 1.5, deviation: 17.8, ...counts };
    const texts = told(gammaFindings({ ...report, source: 'fit' }, test));
    expect(texts[1]).toBe(
      'caution: Randomised traffic gives a weight exponent β of 0.61 ± 0.05, 17.8 standard errors from the 1.50 in use. So snips and gs overcorrect for popularity. Read ure instead.',
    );
    const calibrated = { ...report, source: 'calibrated' as const };
    expect(told(gammaFindings(calibrated, { ...test, deviation: 0 }))).toHaveLength(1);
    expect(told(gammaFindings(calibrated, test))).toHaveLength(2);
  });
});

describe('findings about a γ chosen from the data', () => {
  const unknown = { gamma: 0, stdErr: 0, lower: 0, upper: 0 };
  const evidence: PropensityReport['auto'] = {
    calibration: {
      status: 'ok',
      beta: 1.2,
      stdErr: 0.1,
      lower: 1,
      upper: 1.4,
      df: 9,
      effectiveItems: 10,
      unsizedShare: 0,
      items: 50,
      organic: 900,
      randomized: 90,
    },
    exposures: {
      status: 'too_sparse',
      poisson: unknown,
      lower: 0,
      upper: 0,
      split: { ...unknown, effectiveItems: 0 },
    },
  };
  const { propensity } = makeSnapshot();
  const say = (changes: Partial<PropensityReport>) =>
    told(gammaFindings({ ...propensity, ...changes }, null));

  it('say where γ comes from', () => {
    expect(say({ source: 'calibrated', gamma: 0.22, gammaStdErr: 0.18, auto: evidence })).toEqual([
      'note: γ was calibrated with randomised traffic: 0.22 ± 0.18 (standard error). The intervals allow for that error.',
    ]);
    expect(say({ source: 'assumed', gamma: 0.5, auto: evidence })).toEqual([
      'caution: Nothing in the log determines γ, so 0.50 is assumed. Compare the estimates at other values, or log some randomised traffic.',
    ]);
  });

  it('caution about a γ above 1 unless it was configured', () => {
    const above = (gamma: number) =>
      say({ source: 'calibrated', gamma, gammaStdErr: 0.2, auto: evidence })[1];
    expect(above(1.01)).toMatch(
      /^caution: γ is 1.01, and a value above 1 implies that popular items are less/,
    );
    expect(above(1)).toBeUndefined();
    expect(say({ source: 'fixed', gamma: 2 }).join()).not.toMatch('less relevant');
  });
});

describe('thresholds', () => {
  const report = makeSnapshot().propensity;
  const fixedAt = (deviation: number) => {
    const ols = { gamma: 2 - deviation / 10, stdErr: 0.1, r2: 0.9, intercept: 0 };
    const fits = { '*': { ...report.fits['*']!, ols } };
    return gammaFindings({ ...report, source: 'fixed', fits }, null)[0];
  };

  it('call γ and the exponent in doubt beyond two standard errors', () => {
    expect(fixedAt(1.9)).toMatchObject({ code: 'gamma_agrees', severity: 'note' });
    expect(fixedAt(2.1)).toMatchObject({ code: 'gamma_disagrees', severity: 'caution' });
    const counts = { items: 40, organic: 4000, randomized: 900, lower: 1, upper: 1.4 };
    const tested = (deviation: number) => {
      const test = { beta: 1.2, stdErr: 0.1, used: 1.5, deviation, ...counts };
      return gammaFindings({ ...report, source: 'fit' }, test)[1];
    };
    expect(tested(1.9)).toMatchObject({ code: 'exponent_agrees', severity: 'note' });
    expect(tested(2.1)).toMatchObject({ code: 'exponent_disagrees', severity: 'caution' });
  });

  it('call a fitted γ uncertain above a standard error of 0.25', () => {
    const fitted = (gammaStdErr: number) =>
      gammaFindings({ ...report, source: 'fit', gammaStdErr }, null)[0];
    expect(fitted(0.25)).toMatchObject({ code: 'gamma_fitted', severity: 'note' });
    expect(fitted(0.26)).toMatchObject({ code: 'gamma_uncertain', severity: 'caution' });
    expect(textOf(fitted(0.26)!)).toContain('only roughly: 2.00 ± 0.26');
  });
});

describe('models that look better uncorrected', () => {
  const measured = (naive: number, upper: number) => {
    const [row] = windowWith().results;
    const values = { naive, snips: 0.2 };
    const results = (['naive', 'snips'] as const).map((estimator) => ({
      ...row!,
      estimator,
      value: values[estimator],
      upper: estimator === 'snips' ? upper : naive,
    }));
    return rankingFindings(windowWith({ results, agreements: [] }));
  };

  it('are those above the corrected interval, with the share due to popularity', () => {
    const [finding, ...more] = measured(0.4, 0.25);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      code: 'looks_better',
      subject: { models: ['good'], estimators: ['naive', 'snips'] },
      figures: { measures: 1, of: 1 },
    });
    expect(textOf(finding!)).toContain(
      'by snips, up to 50\u00a0% of its naive value comes from popularity',
    );
    expect(measured(0.24, 0.25)).toEqual([]);
  });

  it('are not those that differ only by rounding', () => {
    expect(measured(0.25 + 1e-16, 0.25)).toEqual([]);
    expect(measured(1, 1 - 1e-12)).toEqual([]);
  });
});

describe('a reference model without lists', () => {
  it('is named in a caution, because nothing is compared with it', () => {
    const named = coverageFindings(windowWith({ referenceAway: 'nobody' }));
    expect(told(named)).toContain(
      'caution: The control nobody has no lists, so nothing is compared with it. Log its lists, or correct comparisons.control.',
    );
    const codes = coverageFindings(windowWith()).map(({ code }) => code);
    expect(codes).not.toContain('reference_away');
  });
});

describe('models beyond the limit', () => {
  it('are a caution that names some of them', () => {
    const snapshot = { ...makeSnapshot(), modelsLeftOut: { models: 7, names: ['x', 'y'] } };
    const told = worded(windowFindings(snapshot, snapshot.windows[0]!));
    expect(told.find(({ code }) => code === 'models_full')).toMatchObject({
      severity: 'caution',
      subject: { models: ['x', 'y'] },
      text: 'There are more models than models.max allows: x, y and 5 more are not evaluated. Raise models.max, or log fewer models.',
    });
    const without = windowFindings(makeSnapshot(), snapshot.windows[0]!);
    expect(without.map(({ code }) => code)).not.toContain('models_full');
  });
});

describe('the findings of a window', () => {
  it('are ordered by severity, each with a sentence', () => {
    const snapshot = { ...makeSnapshot(), sampling: { ratio: 1 / 4 } };
    const found = windowFindings(snapshot, snapshot.windows[0]!);
    const places = found.map(({ severity }) => SEVERITIES.indexOf(severity));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(3);
    for (const { text } of worded(found)) expect(text).toMatch(/^\S.*\S\.$/);
  });

  it('depend only on the rows that the window holds', () => {
    const snapshot = makeSnapshot();
    const [window] = snapshot.windows;
    const results = window!.results.filter(({ ess }) => ess >= 30);
    const codesOf = (rows: typeof results) =>
      windowFindings(snapshot, { ...window!, results: rows }).map(({ code }) => code);
    expect(codesOf([...window!.results])).toContain('few_users');
    expect(codesOf(results)).not.toContain('few_users');
  });
});
