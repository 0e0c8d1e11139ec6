import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../src/features/alarm.js';
import { History } from '../../../src/outputs/history/history.js';
import { seriesKey } from '../../../src/outputs/history/series.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function gini(model: string): string {
  return seriesKey('popularity', ['exposures', model], 'gini');
}

function alarm(at: number, series = 's'): Alarm {
  const rest = { size: null, suppressed: null, models: [], topItems: [] };
  return { series, detector: 'cusum', since: at - MINUTE, at, score: 6, threshold: 5, ...rest };
}

const popularity = (history: History, query = {}) =>
  history.select('popularity', { labels: {}, ...query });

describe('a history', () => {
  it('gives a series at the times of the ticks, with null where it has no value', () => {
    const history = new History({ keepMs: HOUR });
    history.add(1 * MINUTE, [[gini('a'), 0.25]], []);
    history.add(
      2 * MINUTE,
      [
        [gini('a'), Number.NaN],
        [gini('b'), 0.5],
      ],
      [],
    );
    const { times, series } = popularity(history);
    expect(times).toEqual([MINUTE, 2 * MINUTE]);
    const a = { stream: 'exposures', model: 'a' };
    const b = { stream: 'exposures', model: 'b' };
    expect(series).toEqual([
      { labels: a, values: { gini: [0.25, null] } },
      { labels: b, values: { gini: [null, 0.5] } },
    ]);
  });

  it('replaces a tick by another of the same pane, in any order of arrival', () => {
    const history = new History({ keepMs: HOUR });
    for (const [minute, value] of [
      [3, 0.3],
      [1, 0.1],
      [2, 0.9],
      [2, 0.2],
    ]) {
      history.add(minute * MINUTE, [[gini('a'), value]], []);
    }
    const { times, series } = popularity(history);
    expect(times).toEqual([MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(series[0].values['gini']).toEqual([0.1, 0.2, 0.3]);
  });

  it('keeps ticks within its length and rejects older ones', () => {
    const history = new History({ keepMs: 10 * MINUTE });
    for (let minute = 1; minute <= 15; minute++) history.add(minute * MINUTE, [], []);
    expect(history.ticks.map(({ paneEnd }) => paneEnd / MINUTE)).toEqual([
      6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ]);
    expect(history.add(5 * MINUTE, [], [])).toBeUndefined();
    expect(history.ticks).toHaveLength(10);
  });

  it('keeps all of the newest ticks and the last one of each earlier minute', () => {
    const history = new History({ keepMs: 24 * HOUR, dense: 24 });
    const ticks = 1000;
    for (let t = 1; t <= ticks; t++) history.add(t * 5000, [], []);
    const kept = history.ticks.map(({ paneEnd }) => paneEnd);
    const newest = Array.from({ length: 24 }, (_, i) => (ticks - 23 + i) * 5000);
    expect(kept.slice(-24)).toEqual(newest);
    const older = kept.slice(0, -24);
    const minutes = Math.floor((newest[0] - 1) / MINUTE);
    const ends = Array.from({ length: minutes }, (_, m) => (m + 1) * MINUTE);
    expect(older.filter((time) => time % MINUTE === 0)).toEqual(ends);
    // Nothing else but what stands in the minute that reaches into the newest.
    expect(older.length).toBeLessThanOrEqual(minutes + 1);
  });

  it('selects by time and labels, and takes the last tick of each step', () => {
    const history = new History({ keepMs: HOUR });
    for (let minute = 1; minute <= 20; minute++) {
      history.add(
        minute * MINUTE,
        [
          [gini('a'), minute / 100],
          [gini('b'), minute / 50],
        ],
        [],
      );
    }
    const query = {
      from: 5 * MINUTE,
      to: 17 * MINUTE,
      step: 5 * MINUTE,
      labels: { model: 'b' },
    };
    const { times, series, step } = popularity(history, query);
    expect(step).toBe(5 * MINUTE);
    // After 5 and up to 17: steps end at 10 and 15, and the last is not full.
    expect(times).toEqual([10 * MINUTE, 15 * MINUTE, 17 * MINUTE]);
    expect(series).toHaveLength(1);
    expect(series[0].values['gini']).toEqual([0.2, 0.3, 0.34]);
  });

  it('widens a step that would give more points than a screen has', () => {
    const history = new History({ keepMs: 24 * HOUR, dense: 20_000 });
    for (let t = 1; t <= 10_000; t++) history.add(t * 5000, [[gini('a'), 0.5]], []);
    const { times, step } = popularity(history, { step: 1 });
    expect(step).toBeGreaterThan(5000);
    expect(times.length).toBeLessThanOrEqual(1501);
    expect(popularity(history, { points: 10 }).times.length).toBeLessThanOrEqual(11);
  });

  it('gives fewer times if many series would make the answer large', () => {
    const history = new History({ keepMs: 24 * HOUR });
    const names = Array.from({ length: 1000 }, (_, n) => gini(`m${n}`));
    for (let minute = 1; minute <= 500; minute++) {
      history.add(
        minute * MINUTE,
        names.map((name) => [name, 0.5]),
        [],
      );
    }
    const all = popularity(history);
    expect(all.series).toHaveLength(1000);
    expect(all.times.length).toBeGreaterThan(80);
    expect(all.times.length).toBeLessThanOrEqual(101);
    expect(popularity(history, { labels: { model: 'm7' } }).times).toHaveLength(500);
  });

  it('gives each alarm once, newest first, even if several ticks have it', () => {
    const history = new History({ keepMs: HOUR });
    history.add(1 * MINUTE, [], [alarm(MINUTE)]);
    history.add(2 * MINUTE, [], [alarm(MINUTE), alarm(2 * MINUTE, 't')]);
    expect(history.alarms()).toEqual([alarm(2 * MINUTE, 't'), alarm(MINUTE)]);
  });
});
