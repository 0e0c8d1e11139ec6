import { isFailing, newestOf, rejectedOf, type ServiceFacts } from './facts.js';
import { type State, stateOf } from './state.js';

/** Silence of this many panes, and of at least this long, makes numbers old. */
const STALE_PANES = 2;
const STALE_MS = 60_000;
/** As of the alert UnskewTopicSilent. */
const TOPIC_SILENT_MS = 900_000;
/** Panes that may wait for their tick where nothing is wrong. */
const PANES_UNDER_WAY = 3;

/**
 * Whether events still come, by the newest event time of what this process reads.
 *
 *   stale ⇔ now − newest event > max(2 panes, 60 s)
 *
 * A silence says nothing while Kafka is away or its log is still being read: that is reported itself.
 * Neither does it where the clock is off.
 *
 * @param facts of one moment; after a restart the newest pane stands in for events of before it
 */
export function freshnessStates(facts: ServiceFacts): State[] {
  if (isFailing(facts, 'clock') || isFailing(facts, 'assigned')) return [];
  const { now, topics, snapshot, settings } = facts;
  const shownTo = snapshot?.paneEnd ?? null;
  const read = topics.flatMap((topic) => newestOf(topic) ?? []);
  const newest = Math.max(...read, shownTo ?? Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(newest)) return facts.isElsewhere ? [] : unread(facts);
  const states: State[] = [];
  const ageMs = stepped(now - newest);
  if (
    now - newest > Math.max(STALE_PANES * settings.tickMs, STALE_MS) &&
    !isFailing(facts, 'caught_up')
  ) {
    states.push(stateOf('stale', { newest, ageMs }, { since: newest }));
  } else if (shownTo !== null) states.push(...silentTopics(facts, newest));
  return shownTo === null || isFailing(facts, 'broker')
    ? states
    : [...states, ...waiting(facts, newest, shownTo)];
}

/** An age in the steps in which it is worth repeating. */
function stepped(ms: number): number {
  const step = ms < 120_000 ? 10_000 : 60_000;
  return Math.floor(ms / step) * step;
}

/** Nothing is known of any event. */
function unread({ topics }: ServiceFacts): State[] {
  const rejected = topics.reduce((sum, topic) => sum + rejectedOf(topic), 0);
  const subject = { topics: topics.map(({ topic }) => topic) };
  return [
    rejected === 0
      ? stateOf('nothing_read', {}, { subject })
      : stateOf('all_rejected', { rejected }, { subject }),
  ];
}

/** One topic goes on, and another does not. */
function silentTopics({ topics, isElsewhere }: ServiceFacts, newest: number): State[] {
  if (isElsewhere) return [];
  return topics.flatMap((topic): State[] => {
    const own = newestOf(topic);
    const subject = { topics: [topic.topic] };
    if (own === null) {
      // After a restart a topic may have had its events before.
      const isHeard = topics.some((other) => newestOf(other) !== null);
      return isHeard ? [stateOf('topic_silent', { silentMs: null }, { subject })] : [];
    }
    if (newest - own <= TOPIC_SILENT_MS) return [];
    return [stateOf('topic_silent', { silentMs: newest - own }, { subject, since: own })];
  });
}

/** Events have come that should have closed panes. */
function waiting(facts: ServiceFacts, newest: number, shownTo: number): State[] {
  const { tickMs, latenessMs, idleMs } = facts.settings;
  const usual = latenessMs + idleMs + PANES_UNDER_WAY * tickMs;
  if (newest - shownTo <= usual || isFailing(facts, 'caught_up')) return [];
  return [stateOf('panes_wait', { shownTo, newest }, { since: shownTo })];
}
