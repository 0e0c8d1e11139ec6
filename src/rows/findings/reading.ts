import type { Reading } from '../../events/readings.js';
import type { WindowReports } from '../../stream/feature-types.js';
import { percent, whole } from '../figures.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { FAULTY_SHARE, UNCOUNTED_SHARE } from './thresholds.js';

/** What became of the events that were read. */
export interface ReadingCounts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly late: number;
  /** By any division of their reasons. */
  readonly faults: readonly number[];
  /** Events that were read as something that they may not have meant, by what; of files alone. */
  readonly readings?: ReadonlyMap<string, number>;
  /** What is wrong with requests, where files are read; else a counter says it. */
  readonly requestFaults?: ReadonlyMap<string, number>;
}

/** Of all topics together. */
export function readingOf(
  topics: readonly (Omit<ReadingCounts, 'faults'> & {
    readonly faults: Readonly<Record<string, number>>;
  })[],
): ReadingCounts {
  const sum = (count: 'accepted' | 'duplicate' | 'late') =>
    topics.reduce((total, topic) => total + topic[count], 0);
  return {
    accepted: sum('accepted'),
    duplicate: sum('duplicate'),
    late: sum('late'),
    faults: topics.flatMap(({ faults }) => Object.values(faults)),
  };
}

/** Faulty events, and what share of the events they are. */
export function faultyEvents({ accepted, duplicate, late, faults }: ReadingCounts) {
  const count = faults.reduce((sum, own) => sum + own, 0);
  return {
    count,
    share: count === 0 ? 0 : count / (accepted + duplicate + late + count),
  };
}

/**
 * What was left out because it could not be read.
 *
 * @param window whose values it speaks of. That lists were served without a request is no fault in
 * a log in which none has one.
 */
export function readingFindings(
  counts: ReadingCounts,
  window: WindowReports & { readonly values?: readonly unknown[] } = {},
): Finding[] {
  const figures = faultyEvents(counts);
  const requests = faultsOfRequests(counts, window.values !== undefined);
  const rest = [...requests, ...uncounted(counts), ...readAs(counts)];
  if (figures.count === 0) return rest;
  const severity = figures.share > FAULTY_SHARE ? 'caution' : 'note';
  return [
    {
      code: 'faulty_events',
      severity,
      subject: {},
      figures,
    },
    ...rest,
  ];
}

/** Shown to everybody where it is much; a few late events are in every log. */
function uncounted({ accepted, late, duplicate }: ReadingCounts): Finding[] {
  const events = accepted + late + duplicate;
  const share = events === 0 ? 0 : (late + duplicate) / events;
  if (share <= NOTABLE_READING) return [];
  const severity = share > UNCOUNTED_SHARE ? 'caution' : 'note';
  return [
    {
      code: 'uncounted_events',
      severity,
      subject: {},
      figures: {
        late,
        duplicate,
        share,
      },
    },
  ];
}

/** How many events were which, in words; at least one of the counts is above 0. */
export function fatesOf({
  late,
  duplicate,
  rejected = 0,
}: {
  readonly late: number;
  readonly duplicate: number;
  readonly rejected?: number;
}): string {
  const ofLate = late === 0 ? [] : [`${whole(late)} came late`];
  const ofDuplicate = duplicate === 0 ? [] : [`${whole(duplicate)} were duplicates`];
  const ofRejected = rejected === 0 ? [] : [`${whole(rejected)} were rejected`];
  return [...ofLate, ...ofDuplicate, ...ofRejected].join(', ');
}

/** What was read as something that its sender may not have meant. */
function readAs({ accepted, duplicate, late, readings = new Map() }: ReadingCounts): Finding[] {
  const events = accepted + duplicate + late;
  return [...readings].map(([reason, count]): Finding => {
    const share = events === 0 ? 0 : Math.min(1, count / events);
    const severity = share > NOTABLE_READING ? 'caution' : 'note';
    return {
      code: 'read_as',
      severity,
      subject: {},
      figures: { count, share },
      reason,
    };
  });
}

/** Of the events: what touches more of them is shown to everybody. */
const NOTABLE_READING = 0.01;

/** What was read as what, in words. */
const READING_TEXTS: Readonly<Record<Reading, string>> = {
  seconds: 'events have times that look like seconds and were read as seconds',
  no_zone: 'events have times without a zone and were read as UTC',
  repeated_item: 'lists contain an item twice; only its first position counts',
  no_value: 'interactions lack the value that others have, and count as not positive',
  null_text: 'cells contain nan, null or similar text and were read as empty',
  before_list:
    'interactions come slightly before the list that they name (within attribution.clockSkew) and got its time',
  long_before_list:
    'interactions come before the list that they name by more than attribution.clockSkew and are not attributed to it',
  whole_float: 'ids are written like 900002.0 and were read as 900002',
};

/** The same in a line of its own. */
export function readingText(reading: string, count: number): string {
  return `${whole(count)} ${READING_TEXTS[reading as Reading] ?? reading}`;
}

function faultsOfRequests({ requestFaults }: ReadingCounts, hasRequests: boolean): Finding[] {
  const told = [...(requestFaults ?? [])].filter(
    ([fault]) => hasRequests || fault !== 'served_without_request',
  );
  if (told.length === 0) return [];
  const count = told.map(([, own]) => own).reduce((sum, own) => sum + own, 0);
  const reason = told
    .sort()
    .map(([fault, own]) => `${fault} ${own}`)
    .join(', ');
  return [
    {
      code: 'faulty_requests',
      severity: 'note',
      subject: {},
      figures: { count },
      reason,
    },
  ];
}

/** Of the checks of a service those that say more than that it has yet to read the log. */
const UNWELL: Readonly<Record<string, string>> = {
  broker: 'the broker does not answer',
  clock: 'its clock is wrong',
  state_store: 'the state store does not answer',
  panes_topic: 'the panes topic does not answer',
};

/** What speaks against the newest numbers of a service. */
export function serviceFindings({
  checks,
}: {
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
  }[];
}): Finding[] {
  const failing = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failing.length === 0) return [];
  const found = {
    severity: 'problem',
    subject: {},
    figures: {},
  } as const;
  const reason = failing.flatMap((name) => UNWELL[name] ?? []).join(' and ');
  // What keeps it from reading is the reason why it has not read all.
  return [
    reason === ''
      ? {
          code: 'still_reading',
          ...found,
        }
      : {
          code: 'service_unwell',
          ...found,
          reason,
        },
  ];
}

export const READING_WORDS = {
  faulty_events: ({ figures }) =>
    say`${whole(figures.count)} invalid events (${percent(figures.share, 1)} of all) were left out.`,
  uncounted_events: ({ figures: { late, duplicate, share } }) =>
    say`${percent(share)} of the events were not counted: ${fatesOf({ late, duplicate })}.`,
  faulty_requests: ({ figures, reason = '' }) =>
    say`${whole(figures.count)} requests, lists or rewards are invalid and left out: ${reason}. Only a reward of an unknown action counts, as 1.`,
  read_as: ({ figures, reason = '' }) =>
    say`${readingText(reason, figures.count)} (${percent(figures.share, 1)} of the events).`,
  still_reading: () => say`The service is still reading the backlog.`,
  service_unwell: ({ reason = '' }) => say`The service is not healthy: ${reason}.`,
} satisfies Words;
