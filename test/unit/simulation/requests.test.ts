import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../../src/features/values/arms/value-by-arms.js';
import { examination } from '../../../src/simulation/causation.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { servedLogOf } from '../../support/served-log-of.js';
import { logOf } from './log.js';

const hour = 3_600_000;
const small = {
  users: 60,
  items: 40,
  relevantPerUser: 10,
  seed: 4,
  listLength: 20,
  durationMs: 2 * hour,
};
const WORLD = {
  users: 300,
  items: 14,
  relevantPerUser: 5,
  listLength: 10,
  durationMs: 12 * hour,
  seed: 5,
  rankers: ['personal', 'blend', 'popular', 'random', 'perfect'],
  arms: 4,
  causedShare: 0.4,
  examination: [1, 0.7, 0.5, 0.35, 0.28, 0.22],
} as const;

/** By model and estimator: value, error and coverage, from what the events say. */
function valuesOf(simulation: Simulation) {
  const { exposures, interactions } = logOf(simulation.events());
  const log = servedLogOf(exposures, interactions, simulation.options.rankers);
  return valueByArms(log, { theta: examination(simulation.options) });
}

describe('a simulation with a random arm', () => {
  it.each([
    [{ randomArm: 0.1 }, 'arms must be at least 1'],
    [{ arms: 2, randomArm: 0.1, randomizedShare: 0.1 }, 'exclude each other'],
    [{ arms: 2, randomArm: 1.1 }, 'expected a number from 0 to 1'],
  ])('rejects the options %o', (options, message) => {
    expect(() => new Simulation({ ...small, ...options })).toThrow(message);
  });
});

describe('a log of requests', () => {
  it('gives all models their true value, also the shadow model', () => {
    const simulation = new Simulation(WORLD);
    const values = valuesOf(simulation);
    const truths = simulation.rewards(0);
    expect(truths.map(({ model }) => model)).toEqual(WORLD.rankers);
    for (const { model, caused } of truths) {
      const own = values.filter((each) => each.model === model && !each.isRefused);
      expect(own.length).toBeGreaterThan(1);
      for (const { value, stdErr, coverage } of own) {
        expect(coverage).toBeGreaterThan(0.97);
        expect(Math.abs(value - caused)).toBeLessThan(4 * stdErr + (1 - coverage) * caused);
      }
    }
    const best = truths.reduce((a, b) => (a.caused > b.caused ? a : b));
    expect(best.model).toBe('perfect');
  });

  it('gives a wrong value if the assumed examination probabilities are wrong', () => {
    const { model, caused } = new Simulation(WORLD).rewards(0).at(-1)!;
    const { exposures, interactions } = logOf(new Simulation(WORLD).events());
    const log = servedLogOf(exposures, interactions, WORLD.rankers);
    const theta = [1, 1, 1, 1, 1, 1];
    const ips = valueByArms(log, { theta, isJudged: false }).find(
      (each) => each.model === model && each.estimator === 'arms_ips',
    )!;
    expect(Math.abs(ips.value - caused)).toBeGreaterThan(3 * ips.stdErr);
  });
});
