import { isFailing, newestOf, type ServiceFacts } from './facts.js';
import { type State, stateOf } from './state.js';

/**
 * What the first numbers wait for. A pane closes once every partition has an event that is
 * `time.lateness` past its end, or is silent for `time.idle`:
 *
 *   due = end of the pane that holds (least newest event time − lateness) + lateness
 */
export function firstPaneStates(facts: ServiceFacts): State[] {
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
  return [stateOf('no_pane', { newest, due, idleMs })];
}
