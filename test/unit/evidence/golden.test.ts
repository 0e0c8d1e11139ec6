import { describe, expect, it } from 'vitest';
import {
  isInUse,
  type Measured,
  normalScoreOf,
  preferredSign,
  scoreBars,
  scoreNeeded,
} from '../../../src/estimators/evidence/anchored-rule.js';
import {
  type ContrastRequest,
  ContrastSpread,
  ContrastSums,
} from '../../../src/estimators/evidence/arm-contrast.js';
import { BalanceSums } from '../../../src/estimators/evidence/balance.js';
import {
  boundedVerdict,
  leastWithMissing,
  withUnpredicted,
} from '../../../src/estimators/evidence/bounds.js';
import { firstDifference } from '../../../src/estimators/evidence/first-difference.js';
import {
  drawTest,
  mostRequests,
  pairsNeeded,
} from '../../../src/estimators/evidence/unit-of-draw.js';

import { mixtureRatio } from '../../oracle/verdict.js';

/** Which arm was served, clicks above the first difference and from it on. */
const REQUESTS = [
  ['A', 1, 1],
  ['A', 0, 1],
  ['A', 0, 0],
  ['A', 1, 0],
  ['B', 1, 1],
  ['B', 1, 2],
  ['B', 0, 1],
  ['B', 0, 2],
] as const;

function contrast(userOf: (q: number) => number) {
  const each = (visit: (request: ContrastRequest) => void) => {
    for (const [q, [arm, above, below]] of REQUESTS.entries()) {
      visit({
        stratum: 0,
        side: arm === 'B' ? 1 : 0,
        weight: 1,
        user: userOf(q),
        reward: above + below,
        below,
        isAlike: false,
      });
    }
  };
  const sums = new ContrastSums(1);
  each((request) => sums.add(request));
  const spread = new ContrastSpread(sums.means(), 8);
  each((request) => spread.add(request));
  return spread.contrast();
}

/** t bypassed. */
function exactly(form: Pick<Measured, 'value' | 'stdErr' | 'spread'>): Measured {
  return { ...form, freedom: Number.POSITIVE_INFINITY };
}

/** Forms with these scores; the sharper one has a share of the anchor's variance. */
function scored(anchor: number, score: number, apart: number, varianceRatio = 0.5) {
  const stdErr = Math.sqrt(varianceRatio);
  return {
    anchor: exactly({ value: anchor, stdErr: 1 }),
    sharper: {
      form: exactly({ value: score * stdErr, stdErr }),
      apart: exactly({ value: apart, stdErr: 1 }),
    },
  };
}

describe('two arms', () => {
  const found = contrast((q) => q);

  it('differ in reward over all positions, with degrees of freedom', () => {
    expect(found.all.value).toBeCloseTo(1, 12);
    expect(found.all.stdErr ** 2).toBeCloseTo(2 / 7, 12);
    expect(found.all.freedom).toBeCloseTo(4, 12);
    expect(found.all.value / found.all.stdErr).toBeCloseTo(1.870828693387, 9);
    expect(normalScoreOf(found.all)).toBeCloseTo(1.4958147546526, 9);
  });

  it('differ in reward from the first difference on', () => {
    expect(found.below.value).toBeCloseTo(1, 12);
    expect(found.below.stdErr ** 2).toBeCloseTo(1 / 7, 12);
    expect(found.below.freedom).toBeCloseTo(8, 12);
    expect(normalScoreOf(found.below)).toBeCloseTo(2.177419189127, 9);
    expect(found.above.value).toBeCloseTo(0, 12);
    expect(found.above.stdErr ** 2).toBeCloseTo(1 / 7, 12);
  });

  it('give a preference with the sharper form and none without', () => {
    const [anchor, form, apart] = [found.all, found.below, found.above].map((own) => exactly(own));
    const sharper = { form: form!, apart: apart! };
    expect(preferredSign({ anchor: anchor!, sharper }, 1)).toMatchObject({
      sign: 1,
      isSharper: true,
    });
    expect(preferredSign({ anchor: anchor! }, 1).sign).toBe(0);
  });

  it('have a larger standard error if each user has two requests', () => {
    expect(contrast((q) => q >> 1).all.stdErr ** 2).toBeCloseTo(1 / 3, 12);
  });
});

describe('the rule', () => {
  it.each([
    [1.6, 3.5, 0, 0],
    [1.7, 1.9, 0.2, 0],
    [2.1, 1.8, 0.9, 0],
    [1.8, 3, 2.2, 0],
    [1.8, -2.5, 1, 0],
    [1.8, -2.5, 3, 0],
    [2.1, 2.5, 2.2, 1],
    [-1.8, -2, -0.1, -1],
  ])('with the scores %d, %d and %d gives the sign %d', (anchor, score, apart, sign) => {
    expect(preferredSign(scored(anchor, score, apart), 1).sign).toBe(sign);
  });

  it('raises its bars with the number of pairs', () => {
    const bars = [1, 2, 3].map((pairs) => scoreBars(pairs));
    expect(bars.map(({ whole }) => whole)).toEqual(
      [1.9599639845, 2.2414027276, 2.3939797998].map((z) => expect.closeTo(z, 9)),
    );
    expect(bars.map(({ anchor }) => anchor)).toEqual(
      [1.644853627, 1.9599639845, 2.1280452342].map((z) => expect.closeTo(z, 9)),
    );
    // Of segments in which the other one may be better, one-sided.
    expect(scoreBars(10).whole).toBeCloseTo(2.8070337683, 9);
    expect(scoreBars(40).whole).toBeCloseTo(3.227218426, 9);
  });

  it('uses a sharper form only up to 0.9 of the anchor’s variance', () => {
    expect(isInUse(scored(3, 3, 0, 0.9))).toBe(true);
    expect(isInUse(scored(3, 3, 0, 0.91))).toBe(false);
  });

  it('lowers the anchor’s bar beside a sharper form if looks are repeated', () => {
    const watched = (value: number, stdErr: number, spread: number) =>
      exactly({ value, stdErr, spread });
    const anchor = watched(0.03, 0.01, 0.02);
    const form = watched(0.03, 0.007, 0.014);
    expect(mixtureRatio(0.03, 0.01, 0.02)).toBeCloseTo(Math.exp(3.6) / Math.sqrt(5), 9);
    expect(scoreNeeded(2, Math.exp(3.6) / Math.sqrt(5))).toBeCloseTo(3, 9);
    expect(mixtureRatio(0.03, 0.01, 0.02)).toBeCloseTo(16.3672280145, 9);
    expect(mixtureRatio(0.03, 0.007, 0.014)).toBeCloseTo(693.8250360565, 9);
    const sharper = { form, apart: watched(0, 0.007, 0.014) };
    expect(preferredSign({ anchor, sharper }, 1)).toEqual({
      sign: 1,
      shown: form,
      isSharper: true,
    });
    expect(preferredSign({ anchor }, 1).sign).toBe(0);
    expect(preferredSign({ anchor, sharper }, 2).sign).toBe(0);
  });
});

describe('the unit of randomisation', () => {
  function pairsOf(users: readonly string[]) {
    const found = { pairs: 0, same: 0, chance: 0 };
    for (const served of users) {
      for (let q = 0; q + 1 < served.length; q += 2) {
        found.pairs++;
        found.same += served[q] === served[q + 1] ? 1 : 0;
        found.chance += 0.5;
      }
    }
    return found;
  }
  const repeated = (...of: [string, number][]) =>
    of.flatMap(([text, n]) => Array<string>(n).fill(text));

  it.each([
    [['AABA', 'BB', 'AB'], 4, 2, 0, 'unknown'],
    [repeated(['AA', 6], ['BB', 6]), 12, 12, 3.4641016151, 'user'],
    [repeated(['AA', 8], ['BB', 8], ['AB', 3], ['BA', 1]), 20, 16, 2.683281573, 'request'],
    [repeated(['AA', 20], ['BB', 16], ['AB', 4]), 40, 36, 5.0596442563, 'neither'],
  ])('is inferred from %j', (users, pairs, same, score, unit) => {
    const found = pairsOf(users);
    expect(found).toMatchObject({ pairs, same });
    expect(drawTest(found)).toMatchObject({ unit, score: expect.closeTo(score, 9) });
  });

  it('needs more pairs if shares are uneven', () => {
    expect(pairsNeeded(0.82)).toBeCloseTo((10.89 * 0.82) / 0.18, 9);
    expect(mostRequests(7)).toBe(70);
    expect(mostRequests(1)).toBe(20);
  });
});

it('scores the balance of a covariate between arms', () => {
  const sums = new BalanceSums();
  for (const [x, arm] of [
    [3, 'B'],
    [1, 'A'],
    [2, 'B'],
    [2, 'A'],
  ] as const) {
    sums.add(x, arm === 'B' ? 0.5 : -0.5);
  }
  expect(sums.score).toBeCloseTo(1.2247448714, 9);
});

describe('bounds', () => {
  const exact = (value: number) => ({ value, stdErr: 0, freedom: Number.POSITIVE_INFINITY });

  it('of a partly covered challenger show that it is better', () => {
    const supported = 13 / 12;
    const unseen = (3 / 2) * (1 / 4);
    for (const [arm, lower, upper] of [
      [1, 1 / 12, 11 / 24],
      [0.5, 7 / 12, 23 / 24],
    ]) {
      const bounds = { least: exact(supported - arm), most: exact(supported - arm + unseen) };
      const found = boundedVerdict(bounds, 1.96);
      expect(found).toEqual({
        answer: 'better',
        lower: expect.closeTo(lower, 9),
        upper: expect.closeTo(upper, 9),
      });
    }
  });

  it('say unknown if they include 0, and worse if they are below it', () => {
    expect(boundedVerdict({ least: exact(-0.2), most: exact(0.1) }, 1.96).answer).toBe('unknown');
    expect(boundedVerdict({ least: exact(-0.2), most: exact(-0.1) }, 1.96).answer).toBe('worse');
  });

  it('are lower if lists are missing', () => {
    expect(leastWithMissing(0.05, 0.04, 0.03)).toBeCloseTo(0.008, 12);
  });

  it('include ratings that one model did not predict', () => {
    const rest = { share: 0.1, least: (0.5 - 3) / 10, most: 0.5 / 10 };
    const found = withUnpredicted(exact(-0.2), rest, 1.96);
    expect(found.lower).toBeCloseTo(-0.43, 12);
    expect(found.upper).toBeCloseTo(-0.13, 12);
  });
});

it('finds the first position where lists differ', () => {
  const none = 0xffff;
  expect(firstDifference([0, 1, 2], [0, 1, 2], 0, 3, 3)).toBe(Number.POSITIVE_INFINITY);
  expect(firstDifference([0, 1, 2], [0, 1, none], 0, 3, 3)).toBe(2);
  expect(firstDifference([0, 1, 2, none], [0, none, 2, 1], 0, 4, 3)).toBe(1);
  expect(firstDifference([0, 1, 2], [0, 1, none], 0, 3, 2)).toBe(Number.POSITIVE_INFINITY);
});
