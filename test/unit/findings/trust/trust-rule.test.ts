import { describe, expect, it } from 'vitest';
import { type TrustFacts, trustAnswer } from '../../../../src/rows/findings/reasons.js';

/** No objection to the numbers. */
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

/** Objections: each one alone rules out the answer yes. */
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
  it('is yes without objections, even if the leader changes at a distant γ', () => {
    expect(trustAnswer(SOUND)).toBe('yes');
    expect(trustAnswer({ ...SOUND, doesLeaderChange: true })).toBe('yes');
    expect(trustAnswer({ ...SOUND, models: 1 })).toBe('yes');
  });

  it.each(AGAINST)(
    'with %o is comparisons, or no if the leader changes or is the only model',
    (fact) => {
      expect(trustAnswer({ ...SOUND, ...fact })).toBe('comparisons');
      expect(trustAnswer({ ...SOUND, ...fact, doesLeaderChange: true })).toBe('no');
      expect(trustAnswer({ ...SOUND, ...fact, models: 1 })).toBe('no');
    },
  );

  it('never improves with a further objection', () => {
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

  it('is no if there is a problem, whatever the other facts', () => {
    for (const fact of [{}, ...AGAINST]) {
      expect(trustAnswer({ ...SOUND, ...fact, hasProblem: true })).toBe('no');
    }
  });
});
