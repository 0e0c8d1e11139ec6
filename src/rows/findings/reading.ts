import type { Reading } from '../../events/readings.js';
import type { WindowReports } from '../../stream/feature-types.js';
import { counted, percent, whole } from '../figures.js';
import { capital } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { FAULTY_SHARE, UNCOUNTED_SHARE } from './thresholds.js';

/** Event counts by outcome. */
export interface ReadingCounts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly late: number;
  /**
   * Numbers of invalid events. Each entry is a group of events, for example those with the same
   * reason; only the sum is used.
   */
  readonly faults: readonly number[];
  /** Number of events for each interpretation of unclear content. Only for events from files. */
  readonly readings?: ReadonlyMap<string, number>;
  /**
   * Number of invalid requests for each reason. Only for events from files; a service counts them
   * in a metric.
   */
  readonly requestFaults?: ReadonlyMap<string, number>;
}

/** Sum the event counts of all topics. */
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

/** Count the invalid events, and compute their share of all events. */
export function faultyEvents({ accepted, duplicate, late, faults }: ReadingCounts) {
  const count = faults.reduce((sum, own) => sum + own, 0);
  return {
    count,
    share: count === 0 ? 0 : count / (accepted + duplicate + late + count),
  };
}

/**
 * Findings about events that were left out or interpreted.
 *
 * @param window window whose numbers are judged. Lists without a request id are reported only if
 * the window has rewards per request.
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

/** Report late and duplicate events if they are more than the few that every log has. */
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

/** Describe how many events were late, duplicate or rejected; at least one count is above 0. */
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

/** Report each interpretation of unclear content, since it may not be what the sender meant. */
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

/**
 * Threshold, as a fraction of all events. Above it, an interpretation is a caution instead of a
 * note, and late and duplicate events are reported.
 */
const NOTABLE_READING = 0.01;

/** Text about each interpretation, and the noun that its count refers to. */
const READING_TEXTS: Readonly<Record<Reading, { readonly text: string; readonly of: string }>> = {
  seconds: {
    text: 'times that look like seconds were read as seconds',
    of: 'event',
  },
  no_zone: {
    text: 'times without a zone were read as UTC',
    of: 'event',
  },
  repeated_item: {
    text: 'for an item that a list contains twice, only the first position counts',
    of: 'list',
  },
  no_value: {
    text: 'interactions without a value count as not positive, because others have one',
    of: 'interaction',
  },
  null_text: {
    text: 'nan, null and similar texts were read as empty cells',
    of: 'cell',
  },
  before_list: {
    text: 'interactions dated up to attribution.clockSkew before their list were given the time of that list',
    of: 'interaction',
  },
  long_before_list: {
    text: 'interactions dated more than attribution.clockSkew before the list whose id they have are not attributed to it',
    of: 'interaction',
  },
  whole_float: {
    text: 'ids such as 900002.0 were read as 900002',
    of: 'id',
  },
};

/**
 * Format an interpretation with its count, such as `times without a zone were read as UTC (1
 * event)`.
 */
export function readingText(reading: string, count: number, share?: string): string {
  const { text, of } = READING_TEXTS[reading as Reading] ?? { text: reading, of: 'event' };
  const ofAll = share === undefined ? '' : `, ${share} of the events`;
  return `${text} (${counted(count, of)}${ofAll})`;
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

/**
 * Health and readiness checks without which numbers are unreliable, with the words for a failed
 * check. Checks that fail only because the log is not yet read to its end are not included.
 */
const UNWELL: Readonly<Record<string, string>> = {
  broker: 'the broker does not answer',
  clock: 'its clock is wrong',
  state_store: 'the state store does not answer',
  panes_topic: 'the panes topic does not answer',
};

/** Findings about failing checks that make the newest numbers of a service unreliable. */
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
  // A failing check is the reason why the log is not read completely, so it is reported instead.
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
    say`${counted(figures.count, 'invalid event')} (${percent(figures.share, 1)} of all) ${figures.count === 1 ? 'was' : 'were'} left out.`,
  uncounted_events: ({ figures: { late, duplicate, share } }) =>
    say`${percent(share)} of the events were not counted: ${fatesOf({ late, duplicate })}.`,
  faulty_requests: ({ reason = '' }) =>
    say`Invalid requests, lists and rewards were left out, by reason: ${reason}. Rewards with an unknown action are not left out, but count 1.`,
  read_as: ({ figures, reason = '' }) =>
    say`${capital(readingText(reason, figures.count, percent(figures.share, 1)))}.`,
  still_reading: () => say`The service is still reading the backlog.`,
  service_unwell: ({ reason = '' }) => say`The service is not healthy: ${reason}.`,
} satisfies Words;
