import type { LiveState } from '../outputs/http/schema/live-state.js';
import { stateOf, type WordedState } from '../rows/findings/state.js';
import { wordedStates } from '../rows/findings/state-words.js';

export type ShownState = LiveState['states'][number] | WordedState;

/**
 * States that the page shows. While the connection to the service is lost, the page shows only this
 * state and the last known alarms.
 *
 * @param shownTo end of the pane that is shown, ms; null before the first
 */
export function shownStates(
  { states }: LiveState,
  isConnected: boolean,
  shownTo: number | null,
): readonly ShownState[] {
  if (isConnected) return states;
  const alarms = states.filter(({ code }) => code === 'alarm');
  return [...wordedStates([stateOf('stream_cut', { shownTo })]), ...alarms];
}

/** Find the most urgent state with severity `problem`; undefined if there is none. */
export function problemOf(states: readonly ShownState[]): ShownState | undefined {
  return states.find(({ severity }) => severity === 'problem');
}
