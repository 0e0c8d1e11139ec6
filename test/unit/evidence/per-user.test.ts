import { describe, expect, it } from 'vitest';
import { errorOf, liftOf, perRequest, perUser } from '../../../src/estimators/evidence/per-user.js';
import { contrastOfGroups, type GroupedArm } from '../../../src/features/verdicts/grouped-arms.js';

const NINE = 9;
const Z = 1.959964;
const ARM = [0, 0, 0, 1, 1, 1];
const REQUESTS = [2, 1, 2, 4, 3, 2];
const REWARD = [2, 1, 3, 4, 2, 3];
const HISTORY = [1, 0, 2, 1, 0, 2];
const NO_HISTORY = REWARD.map(() => Number.NaN);

const ofArm = (values: readonly number[], arm: number) =>
  values.map((value, u) => (ARM[u] === arm ? value : 0));

describe('reward per user', () => {
  it('is the difference of means with the error by user', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: NO_HISTORY });
    expect(found.difference).toBeCloseTo(1, NINE);
    expect(found.wald ** 2).toBeCloseTo(8 / 15, NINE);
    expect(found.slope).toBe(0);
  });

  it('adjusts for history', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: HISTORY });
    expect(found.slope).toBeCloseTo(3 / 4, NINE);
    expect(found.difference).toBeCloseTo(1, NINE);
    expect(found.wald ** 2).toBeCloseTo(7 / 30, NINE);
    expect(found.score ** 2).toBeCloseTo(13 / 36, NINE);
    expect(found.difference / errorOf(found)).toBeCloseTo(1.6641005886756874, NINE);
    expect(found.freedom).toBeCloseTo(2.3059, 4);
  });

  it('adjusts for unbalanced history', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: [1, 0, 2, 2, 0, 3] });
    expect(found.slope).toBeCloseTo(3 / 5, NINE);
    expect(found.difference).toBeCloseTo(3 / 5, NINE);
    expect(found.wald ** 2).toBeCloseTo(16 / 75, NINE);
    expect(found.score ** 2).toBeCloseTo(107 / 450, NINE);
  });

  it('does not adjust a user without history', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: [1, 0, Number.NaN, 1, 0, 2] });
    // θ = (1/2·1 of A's two users: xY 2 − 1·3/2 = 1/2; B: 10 − 3·9/3 = 1) / (1/2 + 2) = 3/5; x̄ = 4/5.
    expect(found.slope).toBeCloseTo(3 / 5, NINE);
    // R: A 2 − .12, 1 + .48, 3; B 4 − .12, 2 + .48, 3 − .72.
    expect(found.other).toBeCloseTo((1.88 + 1.48 + 3) / 3, NINE);
    expect(found.own).toBeCloseTo((3.88 + 2.48 + 2.28) / 3, NINE);
  });

  it('uses a weight for each user', () => {
    const found = perUser({
      arm: [0, 0, 1, 1],
      reward: [1, 3, 2, 6],
      history: NO_HISTORY,
      weight: [1, 3, 2, 2],
    });
    // m_a = (1 + 9) / 4, m_b = 16 / 4; r̄ = 26 / 8; s² = (2.25² + .25² + 1.25² + 2.75²) / 4.
    expect(found.difference).toBeCloseTo(4 - 2.5, NINE);
    const s2 = (2.25 ** 2 + 0.25 ** 2 + 1.25 ** 2 + 2.75 ** 2) / 4;
    expect(found.score ** 2).toBeCloseTo(s2 * (10 / 16 + 8 / 16), NINE);
  });
});

describe('reward per request', () => {
  it('is a ratio with the error by user', () => {
    const found = perRequest({
      requests: [ofArm(REQUESTS, 0), ofArm(REQUESTS, 1)],
      reward: [ofArm(REWARD, 0), ofArm(REWARD, 1)],
    });
    expect(found.difference).toBeCloseTo(-1 / 5, NINE);
    const requests = 14 / 6;
    expect(requests * found.difference).toBeCloseTo(-7 / 15, NINE);
    expect(requests ** 2 * found.wald ** 2).toBeCloseTo(0.307664, 6);
  });

  it('has a score error where a small arm earned nothing', () => {
    const arm = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1];
    const reward = [0, 0, 0, 0, 0, 0, 0, 10, 0, 0];
    const found = perRequest({
      requests: [arm.map((a) => 1 - a), arm],
      reward: [reward, arm.map(() => 0)],
    });
    expect(found.difference).toBeCloseTo(-5 / 4, NINE);
    expect(found.wald ** 2).toBeCloseTo(875 / 576, NINE);
    expect(found.difference / found.wald).toBeCloseTo(-1.0142, 4);
    expect(found.difference / found.score).toBeCloseTo(-0.527, 4);
  });
});

describe('the lift', () => {
  it('has Fieller’s interval by the Wald error', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: NO_HISTORY });
    const { lift, lower, upper } = liftOf({ ...found, score: 0 }, Z);
    expect(lift).toBeCloseTo(1 / 2, NINE);
    expect(100 * lower).toBeCloseTo(-16.0685, 4);
    expect(100 * upper).toBeCloseTo(219.347, 3);
  });

  it('has Fieller’s interval by the greater error', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: HISTORY });
    const { lift, lower, upper } = liftOf(found, Z);
    expect(100 * lift).toBeCloseTo(50, NINE);
    expect(100 * lower).toBeCloseTo(-8.5, 1);
    expect(100 * upper).toBeCloseTo(116.2, 1);
  });

  it('excludes 0 exactly if the interval of the difference does', () => {
    const found = perUser({ arm: ARM, reward: REWARD, history: HISTORY });
    const bar = found.difference / errorOf(found);
    expect(liftOf(found, bar - 1e-6).lower).toBeGreaterThan(0);
    expect(liftOf(found, bar + 1e-6).lower).toBeLessThan(0);
  });

  it('is not reported if the control’s reward may be 0', () => {
    const found = perUser({ arm: [0, 0, 1, 1], reward: [0, 1, 5, 6], history: NO_HISTORY });
    expect(liftOf(found, Z).lift).toBeNaN();
  });
});

describe('reward per user by groups of users', () => {
  const X = [1, 0, 2, 2, 0, 3];
  const armOf = (arm: number, groups: readonly number[]): GroupedArm => {
    const users = ARM.flatMap((own, u) => (own === arm ? [u] : []));
    const column = (of: (u: number) => number) => {
      const sums = new Float64Array(Math.max(...groups) + 1);
      for (const u of users) sums[groups[u]!]! += of(u);
      return sums;
    };
    const sum = (of: (u: number) => number) => users.reduce((all, u) => all + of(u), 0);
    return {
      users: column(() => 1),
      known: column(() => 1),
      x: column((u) => X[u]!),
      reward: column((u) => REWARD[u]!),
      xx: sum((u) => X[u]! ** 2),
      xReward: sum((u) => X[u]! * REWARD[u]!),
      knownReward: sum((u) => REWARD[u]!),
    };
  };

  it('has the standard errors of the groups', () => {
    const groups = [0, 1, 2, 0, 1, 2];
    const found = contrastOfGroups(armOf(0, groups), armOf(1, groups));
    expect(found.slope).toBeCloseTo(3 / 5, NINE);
    expect(found.difference).toBeCloseTo(3 / 5, NINE);
    expect(found.wald ** 2).toBeCloseTo(28 / 75, NINE);
    expect(found.score ** 2).toBeCloseTo(8 / 75, NINE);
  });

  it('has the errors by user if each user is a group', () => {
    const found = contrastOfGroups(armOf(0, [0, 1, 2, 3, 4, 5]), armOf(1, [0, 1, 2, 3, 4, 5]));
    const byUser = perUser({ arm: ARM, reward: REWARD, history: X });
    expect(found.wald).toBeCloseTo(byUser.wald, NINE);
    expect(found.score).toBeCloseTo(byUser.score, NINE);
  });
});
