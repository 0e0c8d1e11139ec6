import { LEADING } from '../../estimators/names.js';
import { FEATURE_STATES } from '../../features/findings.js';
import { isGiven } from '../reading.js';
import { AWAY_PARTS, type AwayPart } from './away.js';
import { splitUsers } from './coverage.js';
import {
  isFailing,
  newestOf,
  rejectedOf,
  type ServiceFacts,
  type SnapshotFacts,
  type StateSettings,
} from './facts.js';
import { APART, byUrgency, type State, stateOf } from './state.js';
import { UNCOUNTED_SHARE } from './thresholds.js';

/** Silence, in panes and ms, after which numbers are out of date. */
const STALE_PANES = 2;
const STALE_MS = 60_000;
/** Same value as the alert UnskewTopicSilent. */
const TOPIC_SILENT_MS = 900_000;
/** Age above which an open transaction is reported, ms; connectors often commit once a minute. */
const TRANSACTION_MS = 90_000;
/** Number of panes that normally wait for their tick. */
const PANES_UNDER_WAY = 3;

/**
 * Report numbers that are out of date, judged by the newest event time that this process read.
 *
 *   stale ⇔ now − newest event > max(2 panes, 60 s), and nothing is left to read
 *
 * Silence means nothing while Kafka is unreachable, the log is still being read, or the clock is
 * off. Other states report these.
 *
 * @param facts facts at one moment; after a restart the newest pane represents earlier events
 */
function freshnessStates(facts: ServiceFacts): State[] {
  if (isFailing(facts, 'clock') || isFailing(facts, 'assigned')) return [];
  const { now, topics, snapshot, settings } = facts;
  const shownTo = snapshot?.paneEnd ?? null;
  const read = topics.flatMap((topic) => newestOf(topic) ?? []);
  // The end of a pane is later than its events. It is used if no event was read since the restart.
  const isRead = read.length > 0 && !facts.isElsewhere;
  const newest = Math.max(...read, isRead ? -Infinity : (shownTo ?? -Infinity));
  // Missing events may be among the unread records.
  if (isBehind(facts) && topics.some(({ lag }) => (lag ?? 0) > 0)) return [];
  if (!Number.isFinite(newest)) return facts.isElsewhere ? [] : unread(facts);
  if (isBehind(facts)) return [];
  const states: State[] = [];
  const ageMs = stepped(now - newest);
  if (isOld(now - newest, settings)) {
    states.push(stateOf('stale', { newest, ageMs }, { since: newest }));
  } else if (shownTo !== null) {
    states.push(...silentTopics(facts, newest));
  }
  return shownTo === null || isFailing(facts, 'broker')
    ? states
    : [...states, ...waiting(facts, newest, shownTo)];
}

function isOld(ageMs: number, { tickMs }: StateSettings): boolean {
  return ageMs > Math.max(STALE_PANES * tickMs, STALE_MS);
}

/**
 * Whether older records are still being read: the end was not reached since the start, or there are
 * records to read and those that were read are old.
 */
function isBehind(facts: ServiceFacts): boolean {
  if (isFailing(facts, 'caught_up')) return true;
  const { now, topics, settings } = facts;
  const read = topics.flatMap((topic) => newestOf(topic) ?? []);
  const toRead = topics.reduce((sum, { lag }) => sum + (lag ?? 0), 0);
  return toRead > 0 && read.length > 0 && isOld(now - Math.max(...read), settings);
}

/**
 * Round an age down to 10 s below two minutes, and to minutes above, so that its text changes
 * rarely.
 */
function stepped(ms: number): number {
  const step = ms < 120_000 ? 10_000 : 60_000;
  return Math.floor(ms / step) * step;
}

/** Report that no valid event was read: none came, or all were rejected or ignored. */
function unread({
  topics,
  intake = {
    rejected: 0,
    ignored: 0,
  },
}: ServiceFacts): State[] {
  const rejected = topics.reduce((sum, topic) => sum + rejectedOf(topic), intake.rejected);
  const ignored = topics.reduce((sum, topic) => sum + topic.ignored, intake.ignored);
  const subject = { topics: topics.map(({ topic }) => topic) };
  return [
    rejected + ignored === 0
      ? stateOf('nothing_read', {}, { subject })
      : stateOf('all_rejected', { rejected, ignored }, { subject }),
  ];
}

/** Report topics that are silent while another topic has newer events. */
function silentTopics({ topics, isElsewhere }: ServiceFacts, newest: number): State[] {
  if (isElsewhere) return [];
  return topics.flatMap((topic): State[] => {
    const own = newestOf(topic);
    const subject = { topics: [topic.topic] };
    if (own === null) {
      // After a restart, a topic may have had its events earlier.
      const isHeard = topics.some((other) => newestOf(other) !== null);
      return isHeard ? [stateOf('topic_silent', { silentMs: null }, { subject })] : [];
    }
    // Its newer events may be unread.
    if (newest - own <= TOPIC_SILENT_MS || (topic.lag ?? 0) > 0) return [];
    return [
      stateOf(
        'topic_silent',
        { silentMs: newest - own },
        {
          subject,
          since: own,
        },
      ),
    ];
  });
}

/** Report panes that have not closed although events past their end were read. */
function waiting(facts: ServiceFacts, newest: number, shownTo: number): State[] {
  const { tickMs, latenessMs, idleMs } = facts.settings;
  const usual = latenessMs + idleMs + PANES_UNDER_WAY * tickMs;
  if (newest - shownTo <= usual) return [];
  if (canClose(facts, shownTo)) return [stateOf('catching_up', { toRead: null })];
  return [stateOf('panes_wait', { shownTo, newest }, { since: shownTo })];
}

/**
 * Whether the next pane is about to close: every partition has passed it, and no other process has
 * to report first.
 */
function canClose({ topics, settings, checks }: ServiceFacts, shownTo: number): boolean {
  if (checks.some(({ name }) => name === 'panes_topic')) return false;
  const reached = topics.flatMap(({ partitions }) => partitions.map(({ watermark }) => watermark));
  const next = shownTo + settings.tickMs + settings.latenessMs;
  return reached.every((newest) => newest !== null && newest >= next);
}

/**
 * Share of the horizon from which popularity counts as complete. Quiet nights may leave the edge of
 * the horizon empty.
 */
const WHOLE_SHARE = 0.95;

/**
 * Determine the states of a service, the most urgent first. Page, log, metrics and `/readyz` use
 * the same rule.
 *
 * @example
 * const settings = { tickMs: 60_000, latenessMs: 30_000, idleMs: 60_000, horizonMs: 864_000_000 };
 * const checks = [{ name: 'broker', ok: false }];
 * const facts = { now: 0, settings, checks, topics: [], snapshot: undefined, isElsewhere: false };
 * serviceStates(facts).map(({ code }) => code); // ['away', 'nothing_read']
 */
export function serviceStates(facts: ServiceFacts): State[] {
  const { snapshot, settings } = facts;
  return byUrgency([
    ...checkStates(facts),
    ...uncountedStates(facts),
    ...freshnessStates(facts),
    ...firstPaneStates(facts),
    ...(snapshot === undefined ? [] : snapshotStates(snapshot, settings)),
  ]);
}

/** States that follow from the health and readiness checks. */
function checkStates(facts: ServiceFacts): State[] {
  const { checks, snapshot, topics } = facts;
  const shownTo = snapshot?.paneEnd ?? null;
  const states: State[] = [];
  if (isFailing(facts, 'pipeline')) {
    states.push(stateOf('failed', {}));
  }
  states.push(...awayStates(facts));
  if (facts.isMixed) {
    states.push(stateOf('workers_differ', { shownTo }));
  }
  const clock = checks.find(({ name, ok }) => name === 'clock' && !ok);
  if (clock !== undefined) {
    states.push(stateOf('clock_off', {}, { reason: clock.detail ?? '' }));
  }
  // Without the broker, the process can neither have partitions nor read.
  if (isFailing(facts, 'broker')) return states;
  if (isFailing(facts, 'assigned')) {
    const why = facts.isApart ? { reason: APART } : {};
    return [...states, stateOf('not_assigned', {}, why)];
  }
  states.push(...transactionStates(facts));
  if (!isBehind(facts)) return states;
  const lags = topics.map(({ lag }) => lag);
  const toRead = lags.reduce((sum, lag) => (sum === null || lag === null ? null : sum + lag), 0);
  return [...states, stateOf('catching_up', { toRead })];
}

/** Report parts that cannot be read or written, one state for each. */
function awayStates({ checks, outputs = [], snapshot }: ServiceFacts): State[] {
  const shownTo = snapshot?.paneEnd ?? null;
  const away = new Map<
    AwayPart,
    {
      reason?: string;
      since?: number;
    }
  >();
  for (const { name, ok, detail } of checks) {
    const part = AWAY_PARTS.find((own) => own === name);
    if (part === undefined || ok) continue;
    away.set(part, detail === undefined ? {} : { reason: detail });
  }
  for (const { name, trouble } of outputs) {
    if (trouble !== undefined) {
      away.set(name, trouble);
    }
  }
  // The intake has no cause of its own if it cannot reach the registry or the broker, or has only
  // just started.
  const isOwn = away.get('intake')?.reason !== undefined;
  if (!isOwn || away.has('broker') || away.has('schema_registry')) {
    away.delete('intake');
  }
  return AWAY_PARTS.flatMap((part) => {
    const found = away.get(part);
    return found === undefined
      ? []
      : [
          stateOf(
            'away',
            { shownTo },
            {
              ...found,
              subject: { part },
            },
          ),
        ];
  });
}

/** Report the transaction that has been open longest, if it holds back records. */
function transactionStates({ now, topics }: ServiceFacts): State[] {
  const open = topics.flatMap(({ topic, partitions }) =>
    partitions.flatMap(({ partition, transactionSince }) =>
      transactionSince === null
        ? []
        : [
            {
              topic,
              partition,
              since: transactionSince,
            },
          ],
    ),
  );
  const [first] = open.toSorted((a, b) => a.since - b.since);
  if (first === undefined || now - first.since < TRANSACTION_MS) return [];
  const { topic, partition, since } = first;
  const openMs = stepped(now - since);
  return [
    stateOf(
      'transaction_open',
      { partition, openMs },
      {
        subject: { topics: [topic] },
        since,
      },
    ),
  ];
}

/** Fewest events from which a share of them is meaningful. */
const LEAST_EVENTS = 200;

/** Report late, duplicate and rejected events of a topic, if they are many. */
function uncountedStates({ recent = [] }: ServiceFacts): State[] {
  return recent.flatMap(({ topic, accepted, late, duplicate, rejected, mostRejectedAs }) => {
    const uncounted = late + duplicate + rejected;
    const events = accepted + uncounted;
    // If all events were rejected, another state reports it.
    if (accepted === 0 && late + duplicate === 0) return [];
    const share = uncounted / events;
    if (events < LEAST_EVENTS || share <= UNCOUNTED_SHARE) return [];
    const figures = {
      share,
      late,
      duplicate,
      rejected,
    };
    const reason = mostRejectedAs === undefined ? {} : { reason: mostRejectedAs };
    return [
      stateOf('uncounted', figures, {
        subject: { topics: [topic] },
        ...reason,
      }),
    ];
  });
}

/** States that follow from the newest snapshot. */
function snapshotStates(snapshot: SnapshotFacts, settings: StateSettings): State[] {
  const { horizonMs } = settings;
  const { paneEnd, modelsLeftOut, popularitySince, sampling, windows } = snapshot;
  const found = FEATURE_STATES.flatMap((find) => find(snapshot, settings));
  const states = [...found, ...splitStates(snapshot)];
  if (modelsLeftOut !== undefined) {
    const { models, names } = modelsLeftOut;
    states.push(stateOf('models_dropped', { models }, { subject: { models: names } }));
  }
  const countedMs = popularitySince === undefined ? 0 : paneEnd - popularitySince;
  if (countedMs < WHOLE_SHARE * horizonMs) {
    const since = popularitySince ?? null;
    states.push(stateOf('warming_up', { countedMs, horizonMs }, { since }));
  }
  const withheld = windows[0].results.filter((row) => row.estimator === LEADING && !isGiven(row));
  const models = [...new Set(withheld.map(({ model }) => model))];
  if (models.length > 0) {
    states.push(stateOf('own_lists', {}, { subject: { models } }));
  }
  if (sampling.ratio < 1) {
    states.push(stateOf('sampled', { ratio: sampling.ratio }));
  }
  return states;
}

/** Report users whose events are in several partitions. */
function splitStates({ homes }: SnapshotFacts): State[] {
  const split = splitUsers(homes);
  if (split === undefined) return [];
  const { by, users, several, share, movedAt } = split;
  return movedAt === null
    ? [
        stateOf(
          'users_split',
          {
            users,
            several,
            share,
          },
          { reason: by },
        ),
      ]
    : [stateOf('users_moved', { share }, { since: movedAt })];
}

/**
 * Report what the first numbers wait for. A pane closes once every partition has an event that is
 * `time.lateness` past its end, or is silent for `time.idle`:
 *
 *   due = end of the pane that holds (least newest event time − lateness) + lateness
 */
function firstPaneStates(facts: ServiceFacts): State[] {
  const { topics, snapshot, settings, isElsewhere } = facts;
  if (snapshot !== undefined || isElsewhere || isFailing(facts, 'assigned')) return [];
  const { tickMs, latenessMs, idleMs } = settings;
  const heard = topics.flatMap(({ partitions }) =>
    partitions.flatMap(({ watermark }) => watermark ?? []),
  );
  const newest = Math.max(...topics.flatMap((topic) => newestOf(topic) ?? []));
  if (heard.length === 0) return [];
  const reached = Math.min(...heard) - latenessMs;
  const due = (Math.floor(reached / tickMs) + 1) * tickMs + latenessMs;
  return [
    stateOf('no_pane', {
      newest,
      due,
      idleMs,
    }),
  ];
}
