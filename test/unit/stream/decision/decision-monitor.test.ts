import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../../src/features/alarm.js';
import { DecisionMonitor } from '../../../../src/features/verdicts/decision-monitor.js';
import type { DecisionSources } from '../../../../src/features/verdicts/decision-sources.js';
import { verdictFindings } from '../../../../src/features/verdicts/verdict-findings.js';
import { textOf } from '../../../../src/rows/findings/words.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { decisionOptions } from '../../../support/decision.js';
import { withheldOf } from '../../../support/rows.js';

/** Panes of 10 ms without rows; looks every 20, days of 40. */
const SOURCES: DecisionSources = {
  tickMs: 10,
  partitions: [],
  requests: [],
  popularity: new Float64Array(1),
  models: ['a', 'b'].map((name, id) => ({ name, id })),
  pairs: { firstPane: 0, paneMs: 10, followsCauses: false },
  options: { cold: 'smooth', smoothing: 0.5 },
  plausibleGamma: { lower: 0, upper: 0 },
  heavyFrom: Number.POSITIVE_INFINITY,
  modelMarks: [],
  test: { parts: [], nameOf: () => undefined },
};

function observed(
  monitor: DecisionMonitor,
  paneEnd: number,
  changes: Partial<Snapshot> = {},
  modelMarks: DecisionSources['modelMarks'] = [],
) {
  const snapshot = { ...makeSnapshot({ models: ['a', 'b'], paneEnd }), ...changes, paneEnd };
  return monitor.observe(snapshot, { ...SOURCES, modelMarks }).verdicts!;
}

function through(monitor: DecisionMonitor, from: number, to: number) {
  let verdicts = observed(monitor, from);
  for (let at = from + 10; at <= to; at += 10) verdicts = observed(monitor, at);
  return verdicts;
}

function alarm(overrides: Partial<Alarm>): Alarm {
  return {
    series: 'estimate/snips/recall@1/a',
    detector: 'cusum',
    since: 0,
    at: 50,
    score: 9,
    threshold: 5,
    size: 2,
    suppressed: null,
    models: ['a'],
    topItems: [],
    ...overrides,
  };
}

function sinceAfter(changes: Partial<Snapshot>) {
  const monitor = new DecisionMonitor(decisionOptions(), 4);
  through(monitor, 10, 40);
  observed(monitor, 50, changes);
  return through(monitor, 60, 80)[0]!.since;
}

describe('a comparison of two models', () => {
  it('is not restarted by an alarm that is suppressed, old, or about all traffic', () => {
    expect(sinceAfter({ alarms: [alarm({ suppressed: 'few users' })] })).toBe(20);
    expect(sinceAfter({ alarms: [alarm({ at: 40 })] })).toBe(20);
    expect(sinceAfter({ alarms: [alarm({ series: 'gini/interactions' })] })).toBe(20);
  });

  it('says why it was restarted and how long it waits', () => {
    const textAfter = (changes: Partial<Snapshot>, marks: DecisionSources['modelMarks'] = []) => {
      const monitor = new DecisionMonitor(decisionOptions(), 4);
      through(monitor, 10, 80);
      observed(monitor, 90, changes, marks);
      const [finding] = verdictFindings(observed(monitor, 100, changes));
      return textOf(finding!);
    };
    const { propensity } = makeSnapshot();
    expect(textAfter({ propensity: { ...propensity, source: 'calibrated' } })).toMatch(
      /^No verdict yet on a and b: a new source of γ restarted the comparison on 1970-01-01 at 00:00 UTC\. A verdict needs a whole day of data, until 00:00 on 1970-01-02\.$/,
    );
    expect(textAfter({ alarms: [alarm({ at: 90 })] })).toContain(
      'an alarm on one of them restarted the comparison',
    );
    expect(textAfter({}, [{ model: 'a', time: 85 }])).toContain(
      'a mark on one of them restarted the comparison',
    );
  });

  it('is restarted once by a mark on one of its models, also from stored state', () => {
    const sinceMarked = (model: string, time: number) => {
      const monitor = new DecisionMonitor(decisionOptions(), 4);
      const marks = [{ model, time }];
      let verdicts = through(monitor, 10, 40);
      for (let at = 50; at <= 70; at += 10) verdicts = observed(monitor, at, {}, marks);
      const next = new DecisionMonitor(decisionOptions(), 4);
      next.restore(monitor.stored());
      for (let at = 80; at <= 120; at += 10) verdicts = observed(next, at, {}, marks);
      return verdicts[0]!.since;
    };
    expect(sinceMarked('a', 45)).toBe(60);
    expect(sinceMarked('b', 45)).toBe(60);
    // The mark came late, and the sums since its time are dropped as well.
    expect(sinceMarked('a', 25)).toBe(60);
    // A mark in a pane that has not closed yet.
    expect(sinceMarked('a', 95)).toBe(100);
    // A mark before the model began, one on an unknown model, and one far in the future.
    expect(sinceMarked('a', 15)).toBe(20);
    expect(sinceMarked('none', 45)).toBe(20);
    expect(sinceMarked('a', 500)).toBe(20);
  });

  it('rests on organic interactions where rows are withheld, which takes list ids', () => {
    const monitor = new DecisionMonitor(decisionOptions(), 4);
    through(monitor, 10, 70);
    const { windows } = makeSnapshot({ models: ['a', 'b'] });
    const withheld = (source: 'named' | 'arms') =>
      windows.map((window) => ({
        ...window,
        results: window.results.map((row) => withheldOf(row, 'caused_by_lists')),
        feedback: { source } as NonNullable<typeof window.feedback>,
      }));
    expect(observed(monitor, 80, { windows: withheld('arms') })[0]!.reason).toBe('unnamed');
    expect(observed(monitor, 90)[0]).not.toHaveProperty('isOfUncaused');
    // If interactions give list ids, the verdict rests on organic interactions and says so.
    expect(observed(monitor, 100, { windows: withheld('named') })[0]).toMatchObject({
      reason: 'stale',
      isOfUncaused: true,
    });
  });
});
