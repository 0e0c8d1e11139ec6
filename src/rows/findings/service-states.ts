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

/**
 * Numbers are out of date if the newest event is older than this many panes, and also older than
 * `STALE_MS`.
 */
const STALE_PANES = 2;
const STALE_MS = 60_000;
/**
 * Time without events after which a topic is reported as silent, ms; the same as in the alert
 * UnskewTopicSilent.
 */
const TOPIC_SILENT_MS = 900_000;
/** Age above which an open transaction is reported, ms; connectors often commit once a minute. */
const TRANSACTION_MS = 90_000;
/**
 * Number of panes that may wait to be shown, in addition to `time.lateness` and `time.idle`, before
 * they are reported as waiting.
 */
const PANES_UNDER_WAY = 3;

/**
 * Report that numbers are out of date, or why they may be, by the newest event time that was read.
 *
 *   stale ⇔ now − newest event > max(2 panes, 60 s), and no record is unread
 *
 * Nothing is reported while Kafka is unreachable, older records are still being read, or the clock
 * is wrong. Other states report these.
 *
 * @param facts facts at one moment. If no event was read since a restart, the end of the newest
 * pane stands for the newest event
 */
function freshnessStates(facts: ServiceFacts): State[] {
  if (isFailing(facts, 'clock') || isFailing(facts, 'assigned')) return [];
  const { now, topics, snapshot, settings } = facts;
  const shownTo = snapshot?.paneEnd ?? null;
  const read = topics.flatMap((topic) => newestOf(topic) ?? []);
  // The end of a pane is later than its events, so it is used only if no event was read since the
  // restart.
  const isRead = read.length > 0 && !facts.isElsewhere;
  const newest = Math.max(...read, isRead ? -Infinity : (shownTo ?? -Infinity));
  // Newer events may be among the unread records.
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
 * Whether older records are still being read. That is so if the end of the log was not reached
 * since the start, or if records are unread and the newest event that was read is old.
 */
function isBehind(facts: ServiceFacts): boolean {
  if (isFailing(facts, 'caught_up')) return true;
  const { now, topics, settings } = facts;
  const read = topics.flatMap((topic) => newestOf(topic) ?? []);
  const toRead = topics.reduce((sum, { lag }) => sum + (lag ?? 0), 0);
  return toRead > 0 && read.length > 0 && isOld(now - Math.max(...read), settings);
}

/**
 * Round an age down to a multiple of 10 s, or of a minute from two minutes on, so that its text
 * changes rarely.
 */
function stepped(ms: number): number {
  const step = ms < 120_000 ? 10_000 : 60_000;
  return Math.floor(ms / step) * step;
}

/** Report that no valid event was read: either there was none, or all were rejected or ignored. */
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

/** Report each topic that has had no events for a while although another topic has newer ones. */
function silentTopics({ topics, isElsewhere }: ServiceFacts, newest: number): State[] {
  if (isElsewhere) return [];
  return topics.flatMap((topic): State[] => {
    const own = newestOf(topic);
    const subject = { topics: [topic.topic] };
    if (own === null) {
      // If a topic had no event since a restart, it may have had some before.
      const isHeard = topics.some((other) => newestOf(other) !== null);
      return isHeard ? [stateOf('topic_silent', { silentMs: null }, { subject })] : [];
    }
    // The topic's newer events may be unread.
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
 * Whether nothing keeps the next pane from closing: every partition has passed the end of the pane,
 * and no other process has to report first.
 */
function canClose({ topics, settings, checks }: ServiceFacts, shownTo: number): boolean {
  if (checks.some(({ name }) => name === 'panes_topic')) return false;
  const reached = topics.flatMap(({ partitions }) => partitions.map(({ watermark }) => watermark));
  const next = shownTo + settings.tickMs + settings.latenessMs;
  return reached.every((newest) => newest !== null && newest >= next);
}

/**
 * Fraction of the popularity horizon that must be covered for popularity to count as complete.
 * There may be no events at the edge of the horizon, for example at night.
 */
const WHOLE_SHARE = 0.95;

/**
 * Derive the states of a service from facts, the most urgent first. Page, log, metrics and
 * `/readyz` all use these states.
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
  // Without the broker a process can neither read nor get partitions, so those states are not
  // reported.
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

/** Report parts that cannot be reached or written, one state per part. */
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
  // The failure of the intake is not reported on its own if it only follows from an unreachable
  // broker or registry, or if no reason is known because it has just started.
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

/** Report the longest open transaction, if it keeps records from being read. */
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

/** Minimum number of events for shares of them to be meaningful. */
const LEAST_EVENTS = 200;

/** Report topics with many late, duplicate and rejected events in the last hour. */
function uncountedStates({ recent = [] }: ServiceFacts): State[] {
  return recent.flatMap(({ topic, accepted, late, duplicate, rejected, mostRejectedAs }) => {
    const uncounted = late + duplicate + rejected;
    const events = accepted + uncounted;
    // The state `all_rejected` reports this.
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

/** Report users who count as several because their events are in several partitions. */
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
 * Report what the first numbers are waiting for. A pane closes once every partition has an event
 * that is `time.lateness` past its end, or has been silent for `time.idle`:
 *
 *   due = end of the pane that contains (smallest newest event time − lateness) + lateness
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
