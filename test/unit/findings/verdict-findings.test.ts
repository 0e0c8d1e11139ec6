import { describe, expect, it } from 'vitest';
import type { PairVerdict } from '../../../src/features/verdict.js';
import { verdictFindings } from '../../../src/features/verdicts/verdict-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { aVerdict } from '../../support/verdict.js';

function texts(...verdicts: readonly PairVerdict[]): string[] {
  return verdictFindings(verdicts).map(textOf);
}

describe('the verdict in words', () => {
  it('prefers one, with the interval of all looks', () => {
    expect(texts(aVerdict({ state: 'prefer', better: 'personal' }))).toEqual([
      'Prefer personal over blend: recall@10 +0.0361 (+0.0270 to +0.0452), corrected for popularity, since 2026-03-02.',
    ]);
  });

  it('says where it goes by what users found by themselves alone', () => {
    const prefer = { state: 'prefer', better: 'personal' } as const;
    expect(texts(aVerdict({ ...prefer, isOfUncaused: true }))).toEqual([
      'Prefer personal over blend: recall@10 of what users found by themselves +0.0361 (+0.0270 to +0.0452), corrected for popularity, since 2026-03-02.',
    ]);
    expect(texts(aVerdict({ state: 'immaterial', isOfUncaused: true }))[0]).toContain(
      'recall@10 of what users found by themselves',
    );
    const flip = { gamma: 2.1, winsBelow: 'blend' };
    expect(texts(aVerdict({ state: 'undecided', flip, isOfUncaused: true }))[0]).toContain(
      'better by recall@10 of what users found by themselves: blend wins',
    );
  });

  it('turns the difference where the reference is better, and says what is the opposite', () => {
    const turned = { value: -0.0361, lower: -0.0452, upper: -0.027, saysOpposite: true };
    expect(texts(aVerdict({ state: 'prefer', better: 'blend', ...turned }))).toEqual([
      'Prefer blend over personal: recall@10 +0.0361 (+0.0270 to +0.0452), corrected for popularity, since 2026-03-02. Uncorrected says the opposite.',
    ]);
  });

  it('says that it was one look, and of rewards nothing of popularity', () => {
    const look = { rule: 'single_look', state: 'prefer', better: 'personal' } as const;
    expect(texts(aVerdict({ ...look, metric: 'value', k: null }))).toEqual([
      'Prefer personal over blend: reward of a request +0.0361 (+0.0270 to +0.0452), by one look at this window.',
    ]);
    expect(texts(aVerdict({ rule: 'single_look', state: 'undecided' }))[0]).toMatch(
      /^Don’t know whether personal or blend is better: .*, by one look at this window\.$/,
    );
  });

  it('says of errors of ratings that the lower one is better, and what they are corrected for', () => {
    const less = { value: -0.1, lower: -0.14, upper: -0.06, saysOpposite: true } as const;
    const look = { rule: 'single_look', metric: 'mse', k: null, ...less } as const;
    expect(texts(aVerdict({ ...look, state: 'prefer', better: 'personal' }))).toEqual([
      'Prefer personal over blend: mse −0.1000 (−0.1400 to −0.0600), corrected for who rates what, by one look at this window. Uncorrected says the opposite.',
    ]);
    const cut = { ...look, metric: 'cg', k: 10, state: 'prefer', better: 'blend' } as const;
    expect(texts(aVerdict(cut))[0]).toMatch(/^Prefer blend over .*, corrected for who rates what/);
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
      'personal is better than blend since 2026-03-02, recall@10 +0.0361 (+0.0270 to +0.0452), but not in the last 24 h (−0.0200): no preference.',
    ]);
    expect(texts(aVerdict({ ...changed, lastDay: 0.2 }))[0]).toContain('but by more in');
    expect(texts(aVerdict({ ...changed, lastDay: 0.01 }))[0]).toContain('but by less in');
  });

  it('says what is missing while it is not known', () => {
    const undecided = (forecast: PairVerdict['forecast']) =>
      texts(aVerdict({ state: 'undecided', forecast }))[0];
    expect(undecided({ days: 3.26, users: 12_345 })).toBe(
      'Don’t know yet whether personal or blend is better: recall@10 +0.0361 (+0.0270 to +0.0452). It takes about 12,000 users more at today’s rate, 3.3 days (÷2 to ×2).',
    );
    expect(undecided({ days: 31.2, users: null })).toContain('about 31 days more (÷2 to ×2)');
    expect(undecided({ days: null, users: null })).toContain('cannot be known with these users');
    expect(undecided(null)).toContain('from the second day on');
  });

  it('says at which γ two change places', () => {
    const flip = { gamma: 2.1, winsBelow: 'blend' };
    expect(texts(aVerdict({ state: 'undecided', flip }))).toEqual([
      'Don’t know which is better by recall@10: blend wins below γ = 2.10, personal above.',
    ]);
  });

  it('says that a difference does not matter, or is none', () => {
    expect(texts(aVerdict({ state: 'immaterial', margin: 0.05 }))).toEqual([
      'No difference that matters between personal and blend: recall@10 +0.0361 (+0.0270 to +0.0452), less than 0.0500 either way.',
    ]);
    expect(texts(aVerdict({ state: 'same' }))).toEqual([
      'personal and blend gain the same: their lists agree wherever it counts for recall@10.',
    ]);
  });

  it.each([
    ['young', 'No verdict yet on blend and personal: it takes a whole day since 2026-03-02'],
    ['few_users', 'too few users'],
    ['stale', 'has had no lists'],
    ['withheld', 'shown lists caused too much'],
    ['unsettled', 'changes too often'],
  ] as const)('says why there is none: %s', (reason, words) => {
    expect(texts(aVerdict({ state: 'none', reason }))[0]).toContain(words);
  });

  it('says first what no other is preferred to', () => {
    const clear = { lower: 0.036, upper: 0.0362 };
    const found = verdictFindings([
      aVerdict({ state: 'prefer', model: 'popular', better: 'blend', ...clear }),
      aVerdict({ state: 'prefer', better: 'personal' }),
    ]);
    expect(found.map(({ subject: { models = [] } }) => models[0])).toEqual(['personal', 'blend']);
  });

  it('says first what can be acted on, by how clear it is, and each reason once', () => {
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
