import type { DetectorOptions } from '../detectors/detector.js';
import type { Evidence } from '../detectors/excursion.js';
import type { Pane } from '../pane.js';
import { newPresenceHistory, note, type PresenceHistory } from './presence-history.js';
import { vanishedScore } from './vanished.js';

/** Everything that is known of when a model sends lists. Plain, so that it can be stored as it is. */
export interface PresenceSeriesState {
  /** All panes that say something. */
  all: PresenceHistory;
  /** With a season, those of them whose place in it had lists a season before. */
  expected: PresenceHistory;
  /** With a season, by place in it: 1 if there were lists when it came last, else 0. */
  readonly slots: Record<string, number>;
}

export function newPresenceSeries(): PresenceSeriesState {
  return { all: newPresenceHistory(), expected: newPresenceHistory(), slots: {} };
}

/**
 * Takes in whether a model had lists in a pane. With a season, once enough panes were expected to have some, as
 * they had a season before, only such panes count: a model that rests at night is not missed then.
 *
 * @param state changed in place.
 * @returns null while it is learned when the model sends lists; with the score 0 if it has sent some.
 */
export function observePresence(
  state: PresenceSeriesState,
  hasLists: boolean,
  { from, slot }: Pane,
  { learn, seasonMs = null }: Pick<DetectorOptions, 'learn' | 'seasonMs'>,
): Evidence | null {
  note(state.all, hasLists, from);
  if (seasonMs !== null) {
    const place = String(slot);
    if (state.slots[place] === 1) note(state.expected, hasLists, from);
    state.slots[place] = hasLists ? 1 : 0;
  }
  const history = isKnown(state.expected, learn) ? state.expected : state.all;
  if (!isKnown(history, learn)) return null;
  const { panes, absent, since } = history;
  return {
    ...{ score: vanishedScore(panes!, absent), size: null },
    since: absent === 0 ? from : since,
  };
}

/** After an alarm the model is learned again when it is back; which hours it rests stays known. */
export function restartPresence(state: PresenceSeriesState): void {
  state.all = newPresenceHistory();
  state.expected = newPresenceHistory();
}

function isKnown({ panes }: PresenceHistory, learn: number): boolean {
  return panes !== null && panes.length >= learn;
}
