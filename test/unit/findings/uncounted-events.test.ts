import { describe, expect, it } from 'vitest';
import { RecentCounts } from '../../../src/commands/service/recent-counts.js';
import type { RecentEvents } from '../../../src/rows/findings/facts.js';
import { readingFindings } from '../../../src/rows/findings/reading.js';
import { serviceStates } from '../../../src/rows/findings/service-states.js';
import { wordedStates } from '../../../src/rows/findings/state-words.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { theFacts } from '../../support/service-facts.js';

const MINUTE = 60_000;

const counts = (accepted: number, late: number, duplicate: number) => ({
  accepted,
  late,
  duplicate,
  faults: [],
});
const topic = (accepted: number, late: number, duplicate: number) => [
  { topic: 'clicks', accepted, late, duplicate, faults: {} },
];
const lists: RecentEvents = {
  topic: 'lists',
  accepted: 100_000,
  late: 0,
  duplicate: 0,
  rejected: 0,
};
const states = (recent: Partial<RecentEvents>) => {
  const own = { topic: 'clicks', accepted: 0, late: 0, duplicate: 0, rejected: 0, ...recent };
  return serviceStates(theFacts({ recent: [lists, own] }));
};
const codes = (recent: Partial<RecentEvents>) => states(recent).map(({ code }) => code);

describe('uncounted events', () => {
  it.each([
    ['three of five are late', counts(400, 600, 0), 'caution'],
    ['each has ten duplicates', counts(100, 0, 1000), 'caution'],
    ['three in a hundred are late or duplicates', counts(970, 20, 10), 'note'],
  ])('are a finding where %s', (_, found, severity) => {
    const { late, duplicate, accepted } = found;
    const share = (late + duplicate) / (accepted + late + duplicate);
    expect(readingFindings(found)).toEqual([
      { code: 'uncounted_events', severity, subject: {}, figures: { late, duplicate, share } },
    ]);
  });

  it.each([
    [counts(400, 600, 0), '60 % of the events were not counted: 600 came late.'],
    [counts(90, 0, 10), '10 % of the events were not counted: 10 were duplicates.'],
    [counts(80, 15, 5), '20 % of the events were not counted: 15 came late, 5 were duplicates.'],
  ])('are broken down into late and duplicate ones', (found, sentence) => {
    const [finding] = readingFindings(found);
    expect(textOf(finding!).replaceAll('\u00a0', ' ')).toBe(sentence);
  });

  it('are no finding at one in a hundred', () => {
    expect(readingFindings(counts(990, 5, 5))).toEqual([]);
  });

  it('are a service state if their share is high and there are enough events', () => {
    expect(codes({ accepted: 400, late: 600, duplicate: 0 })).toEqual(['uncounted']);
    expect(codes({ accepted: 960, late: 20, duplicate: 20 })).toEqual([]);
    expect(codes({ accepted: 4, late: 6, duplicate: 0 })).toEqual([]);
  });

  it('are judged per topic and include rejected events', () => {
    const [worded] = wordedStates(
      states({ accepted: 1230, rejected: 2370, mostRejectedAs: 'future_timestamp' }),
    );
    expect(worded!.text.replaceAll('\u00a0', ' ')).toBe(
      '66 % of the events of the last hour on clicks were not counted: 2,370 were rejected (most as future_timestamp).',
    );
    expect(worded!.remedy).toBe(
      'Rejected: see the reasons in unskew_faults_total, and the events in the dead letters.',
    );
  });
});

describe('the counts of the last hour', () => {
  it('cover the time since the start, and after an hour only the last hour', () => {
    const recent = new RecentCounts();
    const of = { topic: 'clicks', late: 0, duplicate: 0, rejected: 0, mostRejectedAs: undefined };
    const at = (minute: number, late: number) =>
      recent.of(minute * MINUTE, topic(100 * minute, late, 0));
    expect(at(1, 0)).toEqual([{ ...of, accepted: 100 }]);
    for (let minute = 2; minute < 60; minute++) at(minute, 0);
    expect(at(60, 300)).toEqual([{ ...of, accepted: 6000, late: 300 }]);
    for (let minute = 61; minute < 120; minute++) at(minute, 300);
    // The late ones came between 59 and 60.
    expect(at(120, 300)).toEqual([{ ...of, accepted: 6000 }]);
  });
});
