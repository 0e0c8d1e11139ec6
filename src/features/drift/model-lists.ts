import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { PresenceReading } from './reading.js';

/**
 * Which models sent lists in the current drift window. The state consists of plain numbers and
 * text, so it can be stored directly.
 */
export interface ModelListsState {
  /** Models with lists in the current drift window, sorted. */
  seen: string[];
  /** End of the newest processed tick, event time, ms; null before the first. */
  notedTo: number | null;
  /** Number of drift windows for which readings were made. */
  stretches: number;
}

const PREFIX = 'lists/';

export function newModelLists(): ModelListsState {
  return {
    seen: [],
    notedTo: null,
    stretches: 0,
  };
}

/**
 * Add the models that sent lists since the previous tick. A tick that is computed again adds
 * nothing.
 */
export function noteLists(
  state: ModelListsState,
  listing: readonly string[],
  paneEnd: number,
  stretchMs: number,
): void {
  const { notedTo } = state;
  if (notedTo !== null && paneEnd <= notedTo) return;
  const stretch = (end: number) => Math.ceil(end / stretchMs);
  const isSame = notedTo !== null && stretch(notedTo) === stretch(paneEnd);
  state.seen = [...new Set([...(isSame ? state.seen : []), ...listing])].sort();
  state.notedTo = paneEnd;
}

/**
 * Find models that sent lists for the first time.
 *
 * @param known names of all series. @param learn number of first drift windows in which no model
 * counts as new.
 */
export function newModels(
  { seen, stretches }: ModelListsState,
  known: readonly string[],
  learn: number,
): string[] {
  if (stretches < learn) return [];
  return seen.filter((model) => !known.includes(PREFIX + model));
}

/**
 * Readings of all known models: whether each sent lists in the drift window that ends with the
 * snapshot.
 */
export function presenceReadings(
  state: ModelListsState,
  known: readonly string[],
  { windows }: Snapshot,
  stretchMs: number,
): PresenceReading[] {
  const window = windows.find(({ from, to }) => to - from === stretchMs);
  // Without any traffic, no model counts as missing.
  if (window === undefined) return [];
  if (window.counts.interactions === 0 && state.seen.length === 0) return [];
  state.stretches++;
  const { users } = window.counts;
  const reason = users < FEW_USERS ? `${users} users are fewer than ${FEW_USERS}` : null;
  const seen = state.seen.map((model) => PREFIX + model);
  const watched = known.filter((series) => series.startsWith(PREFIX));
  return [...new Set([...watched, ...seen])].sort().map((series) => ({
    kind: 'presence',
    series,
    model: series.slice(PREFIX.length),
    reason,
    hasLists: seen.includes(series),
  }));
}
