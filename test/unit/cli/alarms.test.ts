import { expect, it } from 'vitest';
import type { Alarm } from '../../../src/features/alarm.js';
import { alarmLines } from '../../../src/features/drift/lines.js';
import { evaluationTable, toEvaluationJson } from '../../../src/outputs/text/evaluation.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const PANE_END = Date.UTC(2026, 0, 2, 12);

const alarm: Alarm = {
  series: 'gap/snips/recall@10/blend',
  detector: 'cusum',
  since: PANE_END - 3_600_000,
  at: PANE_END,
  score: 9,
  threshold: 7,
  size: 2.34,
  suppressed: null,
  models: ['blend'],
  topItems: [{ item: 'i1', share: 0.25, before: 0.1 }],
};
const shown = (...alarms: Alarm[]) => ({ ...makeSnapshot({ paneEnd: PANE_END }), alarms });

it('an alarm is printed with its start, size, models and items', () => {
  expect(alarmLines(shown(alarm))).toEqual([
    'changed since 2026-01-02 11:00:00 UTC: gap/snips/recall@10/blend (cusum, by 2.3 standard deviations)',
    '  models: blend',
    '  items: i1 10.0\u00a0% → 25.0\u00a0%',
  ]);
  expect(evaluationTable(shown(alarm), 0, new Outcomes())).toContain('\nchanged since 2026-01-02');
});

it('a suppressed alarm says why, and one of a distribution has no size', () => {
  const other = { ...alarm, size: null, suppressed: 'few users', models: [], topItems: [] };
  expect(alarmLines(shown(other))).toEqual([
    'changed since 2026-01-02 11:00:00 UTC: gap/snips/recall@10/blend (cusum)',
    '  do not act on it: few users',
  ]);
});

it('an alarm is printed once, but stays in the JSON while it is shown', () => {
  const earlier = { ...alarm, at: PANE_END - 60_000 };
  expect(alarmLines(shown(earlier))).toEqual([]);
  expect(toEvaluationJson(shown(earlier), 0, new Outcomes()).alarms).toEqual([earlier]);
});

it('a vanished model is an alarm without items, and a new model a notice', () => {
  const gone = {
    ...alarm,
    series: 'lists/blend',
    detector: 'vanished',
    size: null,
    topItems: [],
  };
  const since = PANE_END - 3_600_000;
  const notice = { kind: 'new_model', model: 'fresh', since, at: PANE_END } as const;
  const snapshot = { ...shown(gone), notices: [notice] };
  expect(alarmLines(snapshot)).toEqual([
    'changed since 2026-01-02 11:00:00 UTC: lists/blend (vanished)',
    '  models: blend',
    'new model since 2026-01-02 11:00:00 UTC: fresh',
  ]);
  expect(toEvaluationJson(snapshot, 0, new Outcomes()).notices).toEqual([notice]);
  expect(toEvaluationJson(shown(gone), 0, new Outcomes())).not.toHaveProperty('notices');
  expect(alarmLines({ ...snapshot, paneEnd: PANE_END + 60_000 })).toEqual([]);
});
