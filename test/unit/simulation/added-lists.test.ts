import { describe, expect, it } from 'vitest';
import type { SimulationOptions } from '../../../src/simulation/options.js';
import { type SimulatedEvent, Simulation } from '../../../src/simulation/simulation.js';

const SMALL = {
  users: 30,
  items: 40,
  listLength: 40,
  relevantPerUser: 12,
  seed: 4,
  durationMs: 3 * 3_600_000,
};

function withGuest(options: Partial<SimulationOptions> = {}) {
  const simulation = new Simulation({ ...SMALL, ...options });
  // All that is relevant first: no ranker can do better.
  const lists = simulation.world.relevant.map((relevant) => relevant.slice(0, 10));
  simulation.add('guest', lists);
  return simulation;
}

const isGuest = (event: SimulatedEvent) => event.type === 'exposure' && event.model === 'guest';

describe('lists that are added to simulated traffic', () => {
  it.each([
    ['with default options', {}],
    ['with arms, one of them random', { causedShare: 0.1, arms: 2, randomArm: 0.1 }],
    ['with a stochastic logger', { causedShare: 0.1, logger: 0.3 }],
    ['with randomised sessions', { causedShare: 0.1, randomizedShare: 0.3 }],
  ])('leave all other events as they are: %s', (_, options) => {
    const alone = [...new Simulation({ ...SMALL, ...options }).events()];
    const events = [...withGuest(options).events()];
    expect(events.filter((event) => !isGuest(event))).toEqual(alone);
    const sessions = alone.filter((event) => event.type === 'exposure' && event.model === 'blend');
    expect(events.filter(isGuest)).toHaveLength(sessions.length);
  });

  it('are never served, and belong to the request of their session', () => {
    const events = [...withGuest({ causedShare: 0.1, arms: 2 }).events()];
    const requests = new Set(
      events.flatMap((event) => ('share' in event && event.share ? [event.request] : [])),
    );
    for (const event of events.filter(isGuest)) {
      expect(event).toMatchObject({ shown: false, candidates: SMALL.items, depth: 10 });
      expect(event).not.toHaveProperty('share');
      expect(requests.has((event as { request?: string }).request)).toBe(true);
    }
  });

  it('have true values like those of the rankers', () => {
    const simulation = withGuest();
    const [own] = simulation
      .truth(simulation.options.startMs, [10])
      .filter(
        ({ model, metric, aggregation }) =>
          [model, metric, aggregation].join() === 'guest,recall,user',
      );
    const { relevant } = simulation.world;
    const held = relevant.map(({ length }) => Math.min(length, 10) / length);
    expect(own.value).toBeCloseTo(held.reduce((sum, each) => sum + each, 0) / held.length, 12);
    expect(simulation.rewards(0)).toEqual([]);
  });

  it.each(['guest', 'personal', 'production', 'uniform'])(
    'are rejected under the existing name %s',
    (name) => {
      expect(() => withGuest().add(name, [])).toThrow(`two models are called ${name}`);
    },
  );
});
