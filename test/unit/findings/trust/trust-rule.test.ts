import { describe, expect, it } from 'vitest';
import { type TrustFacts, trustAnswer } from '../../../../src/rows/findings/reasons.js';

/** Nothing speaks against the numbers. */
const SOUND: TrustFacts = {
  hasProblem: false,
  isGammaKnown: true,
  doSourcesAgree: true,
  hasFlipNear: false,
  isWeightSeen: true,
  isUnseenSmall: true,
  isCauseFollowed: true,
  isFeedbackSmall: true,
  models: 3,
  doesLeaderChange: false,
};

/** Each alone takes the level away. */
const AGAINST: readonly Partial<TrustFacts>[] = [
  { isGammaKnown: false },
  { doSourcesAgree: false },
  { hasFlipNear: true },
  { isWeightSeen: false },
  { isUnseenSmall: false },
  { isCauseFollowed: false },
  { isFeedbackSmall: false },
];

describe('the answer on trust', () => {
  it('is yes where nothing speaks against it, even if the leader changes far from γ', () => {
    expect(trustAnswer(SOUND)).toBe('yes');
    expect(trustAnswer({ ...SOUND, doesLeaderChange: true })).toBe('yes');
    expect(trustAnswer({ ...SOUND, models: 1 })).toBe('yes');
  });

  it.each(AGAINST)(
    'is comparisons with %o and one leader, and no with two or one model',
    (fact) => {
      expect(trustAnswer({ ...SOUND, ...fact })).toBe('comparisons');
      expect(trustAnswer({ ...SOUND, ...fact, doesLeaderChange: true })).toBe('no');
      expect(trustAnswer({ ...SOUND, ...fact, models: 1 })).toBe('no');
    },
  );

  it('is never better for something more that speaks against it', () => {
    const grade = { yes: 2, comparisons: 1, no: 0 };
    const worse = [...AGAINST, { hasProblem: true }, { doesLeaderChange: true }, { models: 1 }];
    for (let mask = 0; mask < 2 ** worse.length; mask++) {
      const own = worse.filter((_, n) => (mask >> n) & 1);
      const facts = Object.assign({ ...SOUND }, ...own) as TrustFacts;
      const answer = trustAnswer(facts);
      for (const fact of worse) {
        expect(grade[trustAnswer({ ...facts, ...fact })]).toBeLessThanOrEqual(grade[answer]);
      }
    }
  });

  it('is no where there is a problem, whatever else is known', () => {
    for (const fact of [{}, ...AGAINST]) {
      expect(trustAnswer({ ...SOUND, ...fact, hasProblem: true })).toBe('no');
    }
  });
});
