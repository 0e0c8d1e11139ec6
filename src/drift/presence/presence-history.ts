/** Panes of a model with lists and without. Plain numbers and text, so that it can be stored as it is. */
export interface PresenceHistory {
  /** Panes through the newest with lists, oldest first: 1 with lists, 0 without; null before the first. */
  panes: string | null;
  /** Panes without lists since then. */
  absent: number;
  /** Start of the first of them, event time, ms. */
  since: number;
}

/** Older panes are forgotten. */
const MOST = 400;

export function newPresenceHistory(): PresenceHistory {
  return { panes: null, absent: 0, since: 0 };
}

/** Adds a pane. The first one with lists begins the history and is not in it: it is there by choice. */
export function note(history: PresenceHistory, hasLists: boolean, from: number): void {
  if (history.panes === null) {
    if (hasLists) history.panes = '';
    return;
  }
  if (!hasLists) {
    if (history.absent === 0) history.since = from;
    // More say no more, and the text below stays short.
    history.absent = Math.min(MOST, history.absent + 1);
    return;
  }
  history.panes = `${history.panes}${'0'.repeat(history.absent)}1`.slice(-MOST);
  history.absent = 0;
}
