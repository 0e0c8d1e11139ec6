import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../../src/features/alarm.js';
import { serviceStates } from '../../../../src/rows/findings/service-states.js';
import { heldBack, type StateCode } from '../../../../src/rows/findings/state.js';
import { wordedStates } from '../../../../src/rows/findings/state-words.js';
import {
  aPartition,
  aSnapshot,
  aTopic,
  failing,
  HOUR,
  NOW,
  theFacts,
} from '../../../support/service-facts.js';

type Facts = ReturnType<typeof theFacts>;

const codes = (facts: Facts) => serviceStates(facts).map(({ code }) => code);
const parts = (facts: Facts) => serviceStates(facts).flatMap(({ subject }) => subject.part ?? []);
const texts = (facts: Facts) => wordedStates(serviceStates(facts)).map(({ text }) => text);

const ALARM: Alarm = {
  series: 'estimate/snips/recall@10/blend',
  detector: 'cusum',
  score: 9,
  threshold: 6,
  since: NOW - 3 * HOUR,
  at: NOW - HOUR,
  size: -4,
  suppressed: null,
  models: ['blend'],
  topItems: [],
};

/** Partitions whose newest events are that old. */
const aged = (...agesMs: readonly number[]) => ({
  partitions: agesMs.map((age) => aPartition(NOW - age)),
});

describe('a healthy service', () => {
  it('has no states to report', () => {
    expect(codes(theFacts())).toEqual([]);
  });
});

describe('events that stop', () => {
  const stoppedFor = (ms: number) => {
    const shown = aTopic('shown', aged(ms));
    const clicked = aTopic('clicked', aged(ms + 5000));
    return theFacts({
      topics: [shown, clicked],
      snapshot: aSnapshot({ paneEnd: NOW - ms - 9000 }),
    });
  };

  it('make numbers stale after two panes, with the age of the newest event', () => {
    expect(codes(stoppedFor(120_000))).toEqual([]);
    expect(codes(stoppedFor(120_001))).toEqual(['stale']);
    const [state] = serviceStates(stoppedFor(150_000));
    expect(state).toMatchObject({ severity: 'problem', since: NOW - 150_000 });
    expect(texts(stoppedFor(3 * HOUR))).toEqual([
      'The newest event is 3 h old (2026-11-23 09:30:20 UTC).',
    ]);
  });

  it('make numbers stale after a minute if panes are short', () => {
    const facts = stoppedFor(61_000);
    expect(codes({ ...facts, settings: { ...facts.settings, tickMs: 5000 } })).toEqual(['stale']);
  });

  it('are detected by the newest pane after a restart that read none', () => {
    const topics = [aTopic('shown', { partitions: [] }), aTopic('clicked', { partitions: [] })];
    const snapshot = aSnapshot({ paneEnd: NOW - HOUR });
    expect(codes(theFacts({ topics, snapshot }))).toEqual(['stale']);
  });

  it('on one topic only are reported as a silent topic', () => {
    const topics = [aTopic('shown', aged(902_001)), aTopic('clicked')];
    expect(codes(theFacts({ topics }))).toEqual(['topic_silent']);
    expect(texts(theFacts({ topics }))[0]).toContain('No event has arrived on shown for 15 min');
    const just = [aTopic('shown', aged(902_000)), aTopic('clicked')];
    expect(codes(theFacts({ topics: just }))).toEqual([]);
    const never = [aTopic('shown', { partitions: [] }), aTopic('clicked')];
    expect(texts(theFacts({ topics: never }))).toEqual([
      'No event has arrived on shown since the start, while the other topic has new events.',
    ]);
  });

  it('are not reported while the clock is off or the backlog is read', () => {
    expect(codes({ ...stoppedFor(HOUR), ...failing('clock') })).toEqual(['clock_off']);
    expect(codes({ ...stoppedFor(HOUR), ...failing('caught_up') })).toEqual(['catching_up']);
  });
});

describe('unread records', () => {
  const reading = (lags: readonly [number, number], ages: readonly [number, number]) =>
    theFacts({
      topics: [
        aTopic('shown', { ...aged(ages[0]), lag: lags[0] }),
        aTopic('clicked', { ...aged(ages[1]), lag: lags[1] }),
      ],
      snapshot: aSnapshot({ paneEnd: NOW - Math.min(...ages) }),
    });

  it('are reported as a backlog, without blaming a silent topic', () => {
    const facts = reading([40_000, 6672], [10 * HOUR, 3 * HOUR]);
    // At a start, and after the end was reached once.
    for (const known of [{ ...facts, ...failing('caught_up') }, facts]) {
      expect(codes(known)).toEqual(['catching_up']);
      expect(texts(known)).toEqual(['Reading the backlog: 46,672 records behind.']);
    }
    const unread = {
      topics: [
        aTopic('shown', { partitions: [], lag: 9 }),
        aTopic('clicked', { partitions: [], lag: 0 }),
      ],
    };
    expect(codes({ ...theFacts(unread), ...failing('caught_up') })).toEqual(['catching_up']);
  });

  it('are not reported if numbers are current, but a silent topic is', () => {
    expect(codes(reading([300, 20], [1000, 2000]))).toEqual([]);
    expect(codes(reading([0, 300], [HOUR, 2000]))).toEqual(['topic_silent']);
    // Its events may be among the records that are not read yet.
    expect(codes(reading([300, 0], [HOUR, 2000]))).toEqual([]);
  });
});

it('reports an overdue pane as waiting, or as catching up if nothing holds it back', () => {
  // 30 s of lateness, 60 s until a partition counts as idle, three panes.
  const after = (ms: number, held = ms) =>
    theFacts({
      topics: [aTopic('shown'), aTopic('clicked', aged(2000, held))],
      snapshot: aSnapshot({ paneEnd: NOW - ms }),
    });
  expect(codes(after(272_000))).toEqual([]);
  expect(codes(after(272_001))).toEqual(['panes_wait']);
  // Nothing holds it back: it is being computed, or waits for another worker.
  expect(codes(after(272_001, 2000))).toEqual(['catching_up']);
  const { checks } = theFacts();
  const shared = [...checks, { name: 'panes_topic', ok: true }];
  expect(codes({ ...after(272_001, 2000), checks: shared })).toEqual(['panes_wait']);
});

describe('a process that cannot read or write', () => {
  it('reports services that are away, without the states that follow from them', () => {
    const old = { topics: [aTopic('shown', aged(HOUR)), aTopic('clicked', aged(HOUR))] };
    const facts = { ...theFacts(old), ...failing('broker', 'assigned', 'state_store') };
    expect(codes(facts)).toEqual(['away', 'away']);
    expect(parts(facts)).toEqual(['broker', 'state_store']);
    expect(texts(facts)[0]).toBe(
      'Kafka cannot be reached. Numbers are as of 2026-11-23 12:30:00 UTC.',
    );
  });

  it('reports why the schema registry is away', () => {
    const why = 'the schema registry r:1 answers with 503';
    const checks = [{ name: 'schema_registry', ok: false, detail: why }];
    const facts = { ...theFacts(), checks };
    expect(codes(facts)).toEqual(['away']);
    expect(parts(facts)).toEqual(['schema_registry']);
    expect(texts(facts)[0]).toMatch(
      /^Reading has stopped: the schema registry r:1 answers with 503\./,
    );
  });

  it('reports an intake that cannot write, unless the broker or registry is away', () => {
    const intake = { name: 'intake', ok: false, detail: 'cannot write to the Kafka topic x' };
    const old = { topics: [aTopic('shown', aged(HOUR)), aTopic('clicked', aged(HOUR))] };
    const beside = (name: string) =>
      parts({ ...theFacts(), checks: [{ name, ok: false }, intake] });
    const facts = { ...theFacts(old), checks: [intake] };
    expect(codes(facts)).toEqual(['away', 'stale']);
    expect(parts(facts)).toEqual(['intake']);
    expect(texts(facts)[0]).toBe(
      'The intake cannot write its events: cannot write to the Kafka topic x. Numbers are as of 2026-11-23 12:30:00 UTC.',
    );
    expect(heldBack(serviceStates(facts))?.code).toBe('away');
    expect(beside('broker')).toEqual(['broker']);
    expect(beside('schema_registry')).toEqual(['schema_registry']);
    expect(codes({ ...theFacts(), checks: [{ name: 'intake', ok: false }] })).toEqual([]);
  });

  it('reports readers with other settings than the ticker', () => {
    const facts = { ...theFacts(), isMixed: true };
    expect(codes(facts)).toEqual(['workers_differ']);
    expect(texts(facts)).toEqual([
      'Readers run with different settings from the ticker. Numbers are as of 2026-11-23 12:30:00 UTC.',
    ]);
  });

  it('reports other processes that read partitions without roles', () => {
    const facts = { ...theFacts(), ...failing('assigned'), isApart: true };
    expect(texts(facts)).toEqual([
      'Other processes of the group read some of the partitions, so no process computes numbers from all of them.',
    ]);
    expect(wordedStates(serviceStates(facts))[0]!.remedy).toContain('--role tick');
    const alone = { ...facts, isApart: false };
    expect(texts(alone)[0]).toMatch(/^This process has no partition to read\. /);
  });

  it('distinguishes a missing partition from a failed pipeline', () => {
    expect(codes({ ...theFacts(), ...failing('assigned') })).toEqual(['not_assigned']);
    expect(codes({ ...theFacts(), ...failing('pipeline') })).toEqual(['failed']);
  });
});

describe('before the first pane', () => {
  const empty = { accepted: 0, partitions: [] };
  const starting = (...topics: Facts['topics'][number][]) =>
    theFacts({ snapshot: undefined, topics });

  it('says on which topics no event has arrived', () => {
    const facts = starting(aTopic('shown', empty), aTopic('clicked', empty));
    expect(texts(facts)).toEqual(['No event has arrived yet on shown and clicked.']);
  });

  it('says that all events were rejected', () => {
    const faults = { missing_field: 7, not_json: 2 };
    const facts = starting(aTopic('shown', { ...empty, faults }), aTopic('clicked', empty));
    expect(codes(facts)).toEqual(['all_rejected']);
    expect(texts(facts)).toEqual(['All 9 events that have arrived were rejected.']);
  });

  it('says that all events were ignored, also by the intake', () => {
    const passed = starting(aTopic('shown', { ...empty, ignored: 932 }), aTopic('clicked', empty));
    expect(codes(passed)).toEqual(['all_rejected']);
    expect(texts(passed)).toEqual([
      'All 932 events that have arrived were ignored, because the mapping does not know their kind.',
    ]);
    const brought = starting(aTopic('shown', empty), aTopic('clicked', empty));
    expect(texts({ ...brought, intake: { rejected: 2, ignored: 5 } })).toEqual([
      'All 7 events that have arrived were rejected (2) or ignored (5).',
    ]);
  });

  it('says which event time completes the pane', () => {
    // Reached is 12:30:05 − 30 s: the pane until 12:30 is open, and closes at 12:30:30.
    const partitions = [aPartition(NOW - 15_000), aPartition(NOW), aPartition(null)];
    const facts = starting(aTopic('shown', { partitions }), aTopic('clicked', empty));
    expect(codes(facts)).toEqual(['no_pane']);
    expect(texts(facts)[0]).toMatch(
      /newest event is from 2026-11-23 12:30:20 UTC.* after 2026-11-23 12:30:30 UTC/,
    );
  });

  it('reports nothing if another worker has the numbers', () => {
    expect(codes({ ...starting(aTopic('shown', empty)), isElsewhere: true })).toEqual([]);
  });
});

describe('an alarm', () => {
  const withAlarms = (...alarms: Alarm[]) => theFacts({ snapshot: aSnapshot({ alarms }) });

  it('comes first, with the model and since when', () => {
    const facts = { ...withAlarms(ALARM), ...failing('state_store') };
    expect(codes(facts)).toEqual(['alarm', 'away']);
    expect(texts(facts)[0]).toBe(
      'recall@10 of blend by snips has changed since 09:30 UTC, a change of 4.0 standard deviations.',
    );
  });

  it('says whether the series rose or fell, from which value to which', () => {
    const withLevel = (before: number, now: number, series = ALARM.series) =>
      texts(withAlarms({ ...ALARM, series, level: { before, now } }))[0];
    expect(withLevel(0.0712, 0.0164)).toBe(
      'recall@10 of blend by snips has fallen since 09:30 UTC, from 0.071 to 0.016 (−77\u00a0%), a change of 4.0 standard deviations.',
    );
    expect(withLevel(0.4, 0.5, 'gini/exposures/blend')).toBe(
      'The Gini of the exposures of blend has risen since 09:30 UTC, from 0.400 to 0.500 (+25\u00a0%), a change of 4.0 standard deviations.',
    );
    // Small values have enough digits to differ; a gap around zero has no percentage.
    expect(withLevel(0.00012, 0.00008)).toContain('from 0.000120 to 0.000080 (−33\u00a0%)');
    expect(withLevel(-0.02, 0.01, 'gap/snips/recall@10/blend')).toBe(
      'The gap between naive and snips in recall@10 of blend has risen since 09:30 UTC, from −0.020 to 0.010, a change of 4.0 standard deviations.',
    );
  });

  it('names the items behind it, with their shares before and since', () => {
    const topItems = ['i1', 'i\u202e2', 'i3'].map((item) => ({ item, before: 0.007, share: 0.1 }));
    expect(texts(withAlarms({ ...ALARM, topItems }))[0]).toMatch(
      / Items responsible: i1 0\.7\u00a0% → 10\.0\u00a0%, i\ufffd2 0\.7\u00a0% → 10\.0\u00a0%\.$/,
    );
  });

  it('has one remedy for a model without lists and another for a changed number', () => {
    const remedy = (series: string) =>
      wordedStates(serviceStates(withAlarms({ ...ALARM, series })))[0].remedy;
    expect(remedy('lists/blend')).toMatch(/whether the model still serves/);
    expect(remedy(ALARM.series)).toMatch(/what was deployed at that time/);
  });

  it('is reported once per model, with the number of further series', () => {
    const naive = { ...ALARM, series: 'estimate/naive/recall@10/blend', since: NOW - 4 * HOUR };
    const other = { ...ALARM, series: 'lists/a/b', models: ['a/b'], size: null };
    expect(texts(withAlarms(naive, ALARM, other))).toEqual([
      'a/b has sent no lists since 09:30 UTC.',
      'recall@10 of blend by snips has changed since 08:30 UTC, a change of 4.0 standard deviations. 1 more series changed with it.',
    ]);
  });

  it('is not reported if it is suppressed', () => {
    expect(codes(withAlarms({ ...ALARM, suppressed: 'few users' }))).toEqual([]);
  });
});

describe('provisional numbers', () => {
  it('are warming up until popularity covers its horizon', () => {
    const covering = (hours: number) =>
      theFacts({ snapshot: aSnapshot({ popularitySince: NOW - 20_000 - hours * HOUR }) });
    expect(codes(covering(228))).toEqual([]);
    expect(codes(covering(227))).toEqual(['warming_up']);
    expect(texts(covering(72))).toEqual([
      'Popularity counts cover only 3 days so far, of 10 days.',
    ]);
  });

  it('have learning detectors until half of the series have a score', () => {
    const score = (series: number, value: number | null, detector: 'cusum' | 'psi' = 'cusum') => ({
      series: `s${series}`,
      model: null,
      detector,
      score: value,
      threshold: 5,
    });
    const drifting = (...drift: ReturnType<typeof score>[]) =>
      theFacts({ snapshot: aSnapshot({ drift }) });
    expect(texts(drifting())[0]).toMatch(/no alarm can come in the first 24 h\./);
    expect(texts(drifting(score(1, null), score(2, null), score(3, 0.5)))[0]).toContain('2 of 3');
    expect(codes(drifting(score(1, null), score(1, 0.5, 'psi'), score(2, null)))).toEqual([]);
    const unwatched = drifting();
    const settings = { ...unwatched.settings, drift: undefined };
    expect(codes({ ...unwatched, settings })).toEqual([]);
  });

  it('are sampled, lack some models or are not reported', () => {
    const modelsLeftOut = { models: 4, names: ['x', 'y'] };
    const row = { model: 'blend', estimator: 'snips', status: 'withheld' };
    const windows = [{ results: [row, { ...row, estimator: 'naive', model: 'other' }] }];
    const more = { modelsLeftOut, sampling: { ratio: 1 / 8 }, windows: windows as never };
    expect(texts(theFacts({ snapshot: aSnapshot(more) }))).toEqual([
      'There are more models than models.max, so these are not evaluated: x, y and 2 more.',
      'Estimates of blend are not reported, because served lists drove too many of the interactions.',
      'Estimates are from 1 user in 8, sampled by hash, because more data arrive than the limits allow.',
    ]);
  });
});

it('the most urgent contradicting state holds back the verdict', () => {
  const of = (...held: StateCode[]) => held.map((code) => ({ code, severity: 'caution' as const }));
  expect(heldBack(of('alarm', 'stale', 'catching_up'))?.code).toBe('stale');
  expect(heldBack(of('catching_up'))?.code).toBe('catching_up');
  expect(heldBack(of('away', 'sampled', 'models_dropped'))).toBeUndefined();
  expect(heldBack([{ code: 'away', severity: 'problem' }])?.code).toBe('away');
  expect(heldBack(of('alarm', 'warming_up', 'learning'))).toBeUndefined();
});
