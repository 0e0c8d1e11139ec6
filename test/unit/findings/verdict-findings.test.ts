import { describe, expect, it } from 'vitest';
import type { PairVerdict } from '../../../src/features/verdict.js';
import { verdictFindings } from '../../../src/features/verdicts/verdict-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { aVerdict } from '../../support/verdict.js';

function texts(...verdicts: readonly PairVerdict[]): string[] {
  return verdictFindings(verdicts).map(textOf);
}

describe('the verdict in words', () => {
  it('says that a model leads by a corrected metric, with the anytime-valid interval', () => {
    expect(texts(aVerdict({ state: 'leads', better: 'personal' }))).toEqual([
      'personal leads blend: +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045), corrected for popularity, since 2026-03-02.',
    ]);
  });

  it('says if it rests on organic interactions only', () => {
    expect(texts(aVerdict({ state: 'immaterial', isOfUncaused: true }))[0]).toContain(
      'recall@10 on organic interactions',
    );
    const flip = { gamma: 2.1, winsBelow: 'blend' };
    expect(texts(aVerdict({ state: 'undecided', flip, isOfUncaused: true }))[0]).toContain(
      'better by recall@10 on organic interactions: blend wins',
    );
  });

  it('negates the difference if the reference is better, and names a contradicting metric', () => {
    const turned = {
      value: -0.0361,
      lower: -0.0452,
      upper: -0.027,
      against: 'uncorrected recall@10',
    };
    expect(texts(aVerdict({ state: 'leads', better: 'blend', ...turned }))).toEqual([
      'blend leads personal: +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045), corrected for popularity, since 2026-03-02. Uncorrected recall@10 says the opposite.',
    ]);
  });

  it('says what a preference rests on', () => {
    const look = { rule: 'single_look', state: 'prefer', better: 'personal' } as const;
    const value = { ...look, metric: 'value', k: null, rung: 'experiment' } as const;
    expect(texts(aVerdict(value))).toEqual([
      'personal beats blend: +0.036 reward per request (95\u00a0% CI +0.027 to +0.045), from the A/B test.',
    ]);
    const figures = { isSharper: 1, isIfChance: 1 };
    expect(texts(aVerdict({ ...value, figures }))).toEqual([
      'personal beats blend: +0.036 reward per request (95\u00a0% CI +0.027 to +0.045), from the A/B test, if models were assigned at random. Only clicks at or below the first position where the lists differ are counted.',
    ]);
    expect(texts(aVerdict({ ...value, rule: 'sequence' }))[0]).toMatch(/since 2026-03-02\.$/);
    expect(texts(aVerdict({ ...look, rung: 'randomized', against: 'recall@10' }))).toEqual([
      'personal beats blend: +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045), from randomised traffic. Recall@10 says the opposite.',
    ]);
    expect(texts(aVerdict({ rule: 'single_look', state: 'undecided' }))[0]).toMatch(
      /^Can’t tell whether personal beats blend: .*, from this window alone\.$/,
    );
  });

  it('negates the difference above the first differing position along with the rest', () => {
    const cut = { state: 'prefer', metric: 'value', k: null, rung: 'experiment' } as const;
    const text = (better: string, above: number) =>
      texts(aVerdict({ ...cut, better, figures: { above } }))[0]!;
    expect(text('personal', 0.2)).toContain(
      'and yet the difference is +0.200: assignment was not random',
    );
    expect(text('blend', 0.2)).toContain(
      'and yet the difference is −0.200: assignment was not random',
    );
  });

  it('says what is known of a shadow model and what would decide', () => {
    const arms = { rung: 'arms', metric: 'value', k: null, rule: 'single_look' } as const;
    expect(
      texts(
        aVerdict({ ...arms, state: 'probably', better: 'personal', figures: { listed: 0.97 } }),
      ),
    ).toEqual([
      'personal probably beats blend: +0.036 reward per request (95\u00a0% CI +0.027 to +0.045), if users examine each position on its own. personal was never served and has lists for 97\u00a0% of the requests. Serve it to a few users.',
    ]);
    expect(
      texts(aVerdict({ ...arms, state: 'probably_not', better: 'blend', upper: -0.1 })),
    ).toEqual([
      'personal probably does not beat blend: the difference is at most −0.100 reward per request, even if users had clicked every item that no served list showed.',
    ]);
    expect(texts(aVerdict({ ...arms, state: 'unknown', figures: { covered: 0.78 } }))).toEqual([
      'Can’t tell yet whether personal beats blend: served lists overlap with only 78\u00a0% of its ranking, so its reward per request could be anywhere from 0.027 above to 0.045 above that of blend. Serve it to a few users, or log some randomised lists.',
    ]);
  });

  it('says that nothing shows that models were assigned at random', () => {
    const less = { value: -0.0361, lower: -0.0452, upper: -0.027 };
    const observed = {
      rung: 'observed',
      metric: 'value',
      k: null,
      state: 'no_preference',
    } as const;
    expect(texts(aVerdict({ ...observed, ...less }))).toEqual([
      'No preference: blend earned 0.036 more per request than personal, but the log does not show that models were assigned at random. State the split, or log share with each list.',
    ]);
  });

  it('takes the lower rating error as better, and names the correction', () => {
    const less = { value: -0.1, lower: -0.14, upper: -0.06, against: 'uncorrected mse' } as const;
    const look = { rule: 'single_look', metric: 'mse', k: null, ...less } as const;
    expect(texts(aVerdict({ ...look, state: 'leads', better: 'personal' }))).toEqual([
      'personal leads blend: −0.100 mse (95\u00a0% CI −0.140 to −0.060), corrected for who rates what. Uncorrected mse says the opposite.',
    ]);
  });

  it('says why there is no verdict by ratings', () => {
    const none = (reason: 'not_corrected' | 'unpredicted') =>
      texts(aVerdict({ metric: 'mse', k: null, state: 'none', reason }))[0];
    expect(none('not_corrected')).toMatch(/^No verdict on blend and personal by ratings: .*snips/);
    expect(none('unpredicted')).toMatch(/did not predict all rated pairs/);
  });

  it('says how the last day differs', () => {
    const changed = { state: 'changed', better: 'personal' } as const;
    expect(texts(aVerdict({ ...changed, lastDay: -0.02 }))).toEqual([
      'No preference: personal leads blend since 2026-03-02 by +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045), but the last 24 h show no lead (−0.020).',
    ]);
    expect(texts(aVerdict({ ...changed, lastDay: 0.2 }))[0]).toContain(
      'show a larger lead (+0.200)',
    );
    expect(texts(aVerdict({ ...changed, lastDay: 0.01 }))[0]).toContain(
      'show a smaller lead (+0.010)',
    );
  });

  it('says how many more users and days an undecided test needs', () => {
    const undecided = (forecast: PairVerdict['forecast']) =>
      texts(aVerdict({ state: 'undecided', forecast }))[0];
    expect(undecided({ days: 3.26, users: 12_345 })).toBe(
      'Can’t tell yet whether personal beats blend: +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045). The test needs about 12,000 more users, which takes 3.3 days at today’s rate (half to twice that).',
    );
    expect(undecided({ days: 31.2, users: null })).toContain(
      'about 31 days more (half to twice that)',
    );
    expect(undecided({ days: null, users: null })).toContain('More time will not help');
    expect(undecided(null)).toContain('From the second day on');
  });

  it('says at which γ two models swap places', () => {
    const flip = { gamma: 2.1, winsBelow: 'blend' };
    expect(texts(aVerdict({ state: 'undecided', flip }))).toEqual([
      'Can’t tell which is better by recall@10: blend wins below γ = 2.10, personal above. Serve a few randomised lists: they determine γ.',
    ]);
  });

  it('says that a difference is immaterial, or that there is none', () => {
    expect(texts(aVerdict({ state: 'immaterial', margin: 0.05 }))).toEqual([
      'No difference that matters between personal and blend: +0.036 recall@10 (95\u00a0% CI +0.027 to +0.045), within the margin of ±0.050.',
    ]);
    expect(texts(aVerdict({ state: 'same' }))).toEqual([
      'personal and blend have the same recall@10: their lists agree wherever it matters.',
    ]);
  });

  it.each([
    [
      'young',
      {},
      undefined,
      'No verdict yet on blend and personal: the comparison began on 2026-03-02 at 00:00 UTC. A verdict needs a whole day of data, until 00:00 on 2026-03-03.',
    ],
    ['few_users', { users: 12.4 }, undefined, 'only 12 effective users. At least 30 are needed'],
    [
      'few_rewards',
      { rewards: 12.4 },
      undefined,
      'only 12 effective rewards. At least 30 are needed',
    ],
    [
      'few_rewards',
      { rewards: 15 },
      'blend',
      'the value of blend rests on only 15 effective rewards',
    ],
    ['stale', {}, undefined, 'has sent no lists'],
    ['unsettled', {}, undefined, 'changed four times in a week'],
    [
      'draw_mixed',
      { same: 0.83, expected: 0.5 },
      undefined,
      'Two consecutive requests of a user have the same model in 83\u00a0% of cases; expected 50\u00a0% if randomised by request',
    ],
    [
      'shares_off',
      { served: 0.55, stated: 0.5 },
      'blend',
      'sample ratio mismatch. blend served 55.0\u00a0%; 50.0\u00a0% was configured. Fix the split',
    ],
    [
      'unbalanced',
      { more: 0.1 },
      'blend',
      'users of blend were not a random sample. For the same lists, their predicted reward is 10\u00a0% above',
    ],
    [
      'placebo_off',
      { more: 0.2 },
      'blend',
      'even where both lists are identical, blend earns 0.200 more',
    ],
    [
      'requests_lost',
      { complete: 0.5 },
      undefined,
      'only 50\u00a0% of the requests are logged completely',
    ],
    ['no_rewards', {}, undefined, 'no click is attributed to their lists'],
    ['one_user', {}, undefined, 'all data come from one user'],
    [
      'lists_lack',
      { share: 0.4 },
      'personal',
      'personal has a list in only 40\u00a0% of the requests',
    ],
    ['lists_follow_arm', {}, 'personal', 'lists of personal depend on which model is served'],
    [
      'examination_unsure',
      {},
      undefined,
      'examination probabilities of positions are too uncertain',
    ],
    [
      'arm_off',
      { off: -0.14 },
      'blend',
      'Estimated from requests of other models, the value of blend is off by −14\u00a0%',
    ],
    ['clicks_stop', { ratio: 0.4 }, undefined, 'users tend to stop after a click'],
    ['weights_off', { mean: 0.8 }, undefined, 'importance weights average 0.80, expected 1'],
    ['one_row', { share: 0.3 }, undefined, 'one click makes up 30\u00a0% of a model’s value'],
    ['loggers_differ', {}, undefined, 'several models drew the lists'],
    ['no_lists', {}, 'personal', 'no request has a list of personal'],
    ['unnamed', {}, undefined, 'clicks do not say which list led to them. Send the list’s id'],
    ['all_caused', { caused: 1 }, undefined, '100\u00a0% of clicks came from served lists'],
    [
      'not_trusted',
      { deviation: 3 },
      undefined,
      'randomised traffic contradicts the popularity correction',
    ],
    [
      'few_pairs',
      { pairs: 12.4 },
      undefined,
      'About 12 pairs of clicks are expected, at least 20 are needed',
    ],
    ['arms_disagree', { z: -2.4 }, undefined, 'is off by 2.4 standard errors'],
    ['sampled_out', {}, undefined, 'no request has all its lists in the sample'],
    ['rows_differ', {}, undefined, 'evaluated on different users'],
  ] as const)('says why there is no verdict: %s', (reason, figures, of, words) => {
    const verdict = aVerdict({ state: 'none', reason, figures, ...(of && { of: [of] }) });
    expect(texts(verdict)[0]).toContain(words);
  });

  it('puts the model that no other beats first', () => {
    const clear = { lower: 0.036, upper: 0.0362 };
    const found = verdictFindings([
      aVerdict({ state: 'prefer', model: 'popular', better: 'blend', ...clear }),
      aVerdict({ state: 'prefer', better: 'personal' }),
    ]);
    expect(found.map(({ subject: { models = [] } }) => models[0])).toEqual(['personal', 'blend']);
  });

  it('orders by actionability, then clarity, and gives each reason once', () => {
    const found = verdictFindings([
      aVerdict({ state: 'none', reason: 'young', model: 'x' }),
      aVerdict({ state: 'undecided' }),
      aVerdict({ state: 'prefer', better: 'personal' }),
      aVerdict({ state: 'none', reason: 'young', model: 'y' }),
      aVerdict({ state: 'prefer', better: 'clear', model: 'clear', lower: 0.036, upper: 0.0362 }),
      aVerdict({ state: 'changed', better: 'personal' }),
    ]);
    expect(found.map(({ code, subject: { models = [] } }) => [code, models[0]])).toEqual([
      ['verdict_prefer', 'clear'],
      ['verdict_prefer', 'personal'],
      ['verdict_changed', 'personal'],
      ['verdict_open', 'personal'],
      ['verdict_young', 'blend'],
    ]);
    expect(found.at(-1)!.subject.models).toEqual(['blend', 'x', 'y']);
    expect(verdictFindings()).toEqual([]);
  });
});
