import { describe, expect, it } from 'vitest';
import { IS_LONG, repetitions } from '../../../support/repetitions.js';
import {
  burstyUsers,
  correlated,
  heavyTailed,
  panesToAlarm,
  shareOf,
  type World,
} from './worlds.js';

const LEARNED = 24;
const WORLDS: Readonly<Record<string, World>> = {
  '300 users at .02': shareOf(300, 0.02),
  '60 users at .1': shareOf(60, 0.1),
  '1,000 users at .3': shareOf(1000, 0.3),
  'correlation .3 from pane to pane': correlated(0.3),
  'tails of t₄': heavyTailed,
  'skewed values of users who come in bursts': burstyUsers,
};

/**
 * Mean panes to a false alarm, by the panes that were judged for each alarm. The short form watches
 * for a while only and notices where false alarms come four times as often as they may.
 */
function meanPanes(world: World, detector: 'e-sr' | 'cusum', threshold: number) {
  const streams = repetitions(8, 200);
  const most = repetitions(150, 6000);
  let judged = 0;
  let alarms = 0;
  for (let seed = 1; seed <= streams; seed++) {
    const at = panesToAlarm(world, 7919 * seed, detector, { threshold, most: most + LEARNED });
    judged += (at ?? most + LEARNED) - LEARNED;
    if (at !== undefined) alarms++;
  }
  return { mean: judged / Math.max(1, alarms), judged, alarms };
}

/** This many alarms, or more, are rarer than 1 in 500 where the mean is as promised. */
const most = (judged: number, promised: number) =>
  judged / promised + 3 * Math.sqrt(judged / promised);

describe('without a change the mean panes to a false alarm are', () => {
  for (const [name, world] of Object.entries(WORLDS)) {
    it(`500 or more of e-SR, with ${name}`, () => {
      const { mean, judged, alarms } = meanPanes(world, 'e-sr', 500);
      expect(alarms).toBeLessThanOrEqual(most(judged, 500));
      if (IS_LONG) expect(mean).toBeGreaterThan(500);
      // Four times as many would be noticed.
      expect((4 * judged) / 500).toBeGreaterThan(most(judged, 500));
    });

    it(`300 or more of CUSUM, with ${name}`, () => {
      const { judged, alarms } = meanPanes(world, 'cusum', 5);
      expect(alarms).toBeLessThanOrEqual(most(judged, 300));
    });
  }

  it('fewer where panes hang together more than is promised', () => {
    // What is not promised: a random walk has no level to come back to.
    const { mean } = meanPanes(correlated(0.995), 'e-sr', 500);
    expect(mean).toBeLessThan(500);
  });
});

describe('a model that fails completely is named', () => {
  const delays = (world: World, at: number, threshold: number, seasonSlots = 1) =>
    Array.from({ length: repetitions(3, 60) }, (_, seed) => {
      const change = { at, value: 0 };
      const how = { threshold, most: at + 40, change, seasonSlots };
      const found = panesToAlarm(world, 104_729 + seed, 'e-sr', how);
      // A false alarm before the change says nothing about the delay.
      return found === undefined ? 40 : found - at;
    }).filter((delay) => delay > 0);

  it.each([
    ['300 users at .02', shareOf(300, 0.02)],
    ['60 users at .1', shareOf(60, 0.1)],
    ['1,000 users at .3', shareOf(1000, 0.3)],
    ['2,000 users at .003', shareOf(2000, 0.003)],
  ])('within 5 panes after 200, with %s', (_name, world) => {
    expect(Math.max(...delays(world, 200, 500))).toBeLessThanOrEqual(5);
  });

  it('within 7 panes after 100', () => {
    expect(Math.max(...delays(shareOf(300, 0.02), 100, 500))).toBeLessThanOrEqual(7);
  });

  // A place of three values has the failure itself for a third of its mean.
  it('a little later once each hour of the week has its own baseline', () => {
    expect(Math.max(...delays(shareOf(300, 0.02), 540, 500, 168))).toBeLessThanOrEqual(7);
    expect(Math.max(...delays(shareOf(600, 0.02), 540, 500, 168))).toBeLessThanOrEqual(5);
  });

  it('in the second week as without a season, since no hour is known yet', () => {
    expect(Math.max(...delays(shareOf(300, 0.02), 200, 500, 168))).toBeLessThanOrEqual(5);
  });

  it('by its values, whatever their weights: many users who get nothing are no reason to doubt', () => {
    const world = shareOf(300, 0.1);
    expect(Math.max(...delays(world, 100, 6 * 500))).toBeLessThanOrEqual(7);
  });
});
