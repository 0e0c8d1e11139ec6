import { describe, expect, it } from 'vitest';
import { Simulation } from '../../../src/simulation/simulation.js';
import { type Event, smallOptions } from '../../support/log.js';
import { evaluated } from '../../support/request-events.js';

const hour = 3_600_000;
/** Two arms, a random list for one request in four, and two shadow models. */
const WORLD = {
  users: 300,
  items: 30,
  relevantPerUser: 8,
  listLength: 10,
  durationMs: 5 * hour,
  seed: 5,
  rankers: ['personal', 'blend', 'popular', 'perfect'],
  arms: 2,
  randomArm: 0.25,
  causedShare: 0.4,
  examination: [1, 0.7, 0.5, 0.35],
} as const;
const simulation = new Simulation(WORLD);
const EVENTS = [...simulation.events()] as Event[];

async function valuesOf(events: readonly Event[], isJudged: boolean) {
  const { windows } = await evaluated(
    events,
    smallOptions({
      value: { horizonMs: hour / 4, unit: 'request', theta: [...WORLD.examination], isJudged },
      windows: [{ name: 'w', ms: hour }],
      estimates: {
        ...smallOptions().estimates,
        metrics: ['recall'],
        ks: [1],
        estimators: ['naive'],
      },
    }),
  );
  return windows[0].values!;
}

describe('an experiment with an arm of random lists', () => {
  it('is refused if lists are drawn from more items than logged', async () => {
    const wrong = EVENTS.map((event) =>
      'randomized' in event && event.randomized === true ? { ...event, candidates: 15 } : event,
    );
    const values = await valuesOf(wrong as Event[], true);
    const perfect = values.filter(({ model }) => model === 'perfect');
    // ips, snips and dr.
    expect(perfect.length).toBe(3);
    for (const { status, reasons } of perfect) {
      expect(status).toBe('refused');
      expect(reasons.map(({ code }) => code)).toContain('lists_follow_arm');
    }
  });
});
