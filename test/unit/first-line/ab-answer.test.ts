import { describe, expect, it } from 'vitest';
import { answerOf, type Encoded } from '../../support/ab-answer.js';
import { type AbWorld, abLog } from '../../support/ab-world.js';

const START = Date.UTC(2026, 8, 21);

/** Users in turn with three lists each over three days, clicks that name their list; no `share`. */
function* plain(): Generator<Encoded> {
  for (let u = 0; u < 300; u++) {
    const user = `u${u}`;
    const model = u % 2 === 0 ? 'treatment' : 'control';
    for (let q = 0; q < 3; q++) {
      const id = `r${u}-${q}`;
      const ts = START + 86_400_000 * q + 1000 * u;
      yield { type: 'exposure', id, ts, user, model, items: ['x', 'y'] };
      // Treatment: 2 of each 3 users click once; control: 1 of 3.
      const clicks = u % 3 < (model === 'treatment' ? 2 : 1) && q === 1;
      if (clicks)
        yield { type: 'interaction', id: `c${id}`, ts: ts + 5, user, item: 'x', exposure: id };
    }
  }
}

const answer = (world: Omit<AbWorld, 'seed'>, settings = {}) =>
  answerOf(abLog({ seed: 1, ...world }), settings);

describe('the A/B answer of served lists', () => {
  it('tests by user and gives the rewards of each arm, from lists and clicks alone', () => {
    const { experiment } = answerOf(plain());
    expect(experiment).toMatchObject({
      unit: 'user',
      isRandomisationAssumed: true,
      control: 'control',
      reward: { action: 'click', by: 'worth' },
      days: 3,
      refusal: null,
      arms: [
        { model: 'control', users: 150, requests: 450, rewards: 50 },
        { model: 'treatment', users: 150, requests: 450, rewards: 100 },
      ],
    });
    const [control, treatment] = experiment!.arms;
    expect(control!.perUser).toBeCloseTo(1 / 3, 9);
    expect(treatment!.perUser).toBeCloseTo(2 / 3, 9);
    const [lift] = experiment!.lifts;
    expect(lift).toMatchObject({ model: 'treatment', verdict: 'prefer', better: 'treatment' });
    expect(lift!.lift).toBeCloseTo(1, 9);
    // Variances 2/9 each: Wald² = 2 · (2/9) / 150 · 300/299, score² = 1/4 · 2/150, over both arms.
    expect(lift!.z).toBeCloseTo(1 / 3 / Math.sqrt((4 / 9 / 150) * (300 / 299)), 9);
    expect(lift!.score).toBeCloseTo(1 / 3 / Math.sqrt(1 / 4 / 75), 9);
  });

  it('tests the configured split', () => {
    const { experiment } = answerOf(plain(), {
      'experiment.split': '{"control":0.5,"treatment":0.5}',
    });
    expect(experiment!.split).toMatchObject({ declared: { control: 0.5, treatment: 0.5 }, p: 1 });
    expect(experiment!.isRandomisationAssumed).toBe(false);
    const off = answerOf(plain(), { 'experiment.split': '{"control":0.8,"treatment":0.2}' });
    expect(off.experiment!.refusal).toMatchObject({ code: 'shares_off', figures: { served: 0.5 } });
    expect(off.experiment!.lifts[0]!.verdict).toBe('none');
  });

  it('compares with the configured control, or else with the larger arm', () => {
    const named = answerOf(plain(), { 'comparisons.control': 'treatment' });
    expect(named.experiment).toMatchObject({ control: 'treatment' });
    expect(named.experiment!.lifts[0]).toMatchObject({ model: 'control', better: 'treatment' });
    expect(answer({ share: 0.8 }).experiment!.control).toBe('b');
    expect(answer({ share: 0.2 }).experiment!.control).toBe('a');
  });

  it('sums the values of events if the reward is by value', () => {
    const purchases = { chance: 0.2, value: 50 };
    const reward = { 'experiment.reward': '{"action":"purchase","by":"value"}' };
    const { experiment } = answer({ purchases }, reward);
    expect(experiment!.reward).toEqual({ action: 'purchase', by: 'value' });
    const counted = answer({ purchases }, { 'experiment.reward': '{"action":"purchase"}' });
    const [own, other] = [experiment!, counted.experiment!].map(({ arms }) => arms[0]!.rewards);
    expect(other).toBeGreaterThan(100);
    expect(own).toBe(50 * other!);
  });

  it('counts events without an action as clicks, but not other actions of equal worth', () => {
    const actions = { 'events.actions': '{"click":1,"play":1,"purchase":5}' };
    const rewardsOf = (reward: string, more: readonly Encoded[] = []) => {
      const settings = { ...actions, 'experiment.reward': reward };
      const { experiment } = answerOf([...plain(), ...more], settings);
      return experiment!.arms[1]!.rewards;
    };
    const ts = START + 86_400_000 * 2.5;
    const own = { type: 'interaction', ts, user: 'u0', item: 'x' } as const;
    const more = ['play', 'purchase', 'click', 'other'].map((action) => ({
      ...own,
      id: action,
      action,
    }));
    expect(rewardsOf('click')).toBe(100);
    expect(rewardsOf('click', more)).toBe(101);
    for (const action of ['play', 'purchase', 'other']) expect(rewardsOf(action, more)).toBe(1);
  });

  it('tests by request if users have both arms', () => {
    const { experiment } = answer({ unit: 'request', better: () => 1.5 });
    expect(experiment).toMatchObject({ unit: 'request', refusal: null });
    expect(experiment!.lifts[0]).toMatchObject({ of: 'per_request', better: 'b' });
  });

  it('warns that clicks may only have moved', () => {
    const { experiment } = answer({ users: 2000, organic: 1, moved: 1, better: () => 1.3 });
    expect(experiment!.lifts[0]!.verdict).not.toBe('prefer');
    expect(experiment!.cautions.map(({ code }) => code)).toContain('moved');
  });

  it('warns which arm’s users made more requests', () => {
    const { experiment } = answer({ users: 2000, moreLists: 1.5 });
    expect(experiment!.cautions).toContainEqual(
      expect.objectContaining({ code: 'requests_differ', of: ['b'] }),
    );
    expect(experiment!.lifts[0]).toMatchObject({ better: 'b', of: 'all' });
  });

  it('is missing if lists of all models are logged for each request', () => {
    const both = [...plain()].flatMap((event): Encoded[] =>
      event.type === 'exposure'
        ? ['control', 'treatment'].map((model) => ({ ...event, id: `${event.id}${model}`, model }))
        : [event],
    );
    expect(answerOf(both).experiment).toBeUndefined();
  });
});
