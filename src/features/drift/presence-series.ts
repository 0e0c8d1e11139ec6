import { logGamma } from '../../estimators/mathematics/distributions.js';
import type { DetectorOptions } from './drift-options.js';
import type { Evidence } from './level-detectors.js';
import type { Pane } from './reading.js';

/** Prior weight of models that do not send lists in every pane. */
const IRREGULAR = 0.1;
/** This many silent panes are never an alarm by themselves: one is soon lost. */
const HARMLESS = 1;
/** Limit on the logarithm of a score, so that scores are finite. */
const LARGEST_LOG = 600;

/**
 * How much likelier a model's silence is if the model is gone than if its lists come at random.
 *
 * Of n panes the model had lists in k, the last of them among these, then none in r panes.
 *
 *   score = [.9 · 1{k = n} + .1 · k! (n−k)! / (n+1)!] / max_p p^k (1 − p)^{n−k+r}
 *
 * The numerator is how likely the n panes are for a model that is always there, or that is there at
 * a rate of which nothing is known, before it goes; the denominator is the best that any steady rate
 * can do. So for each rate the score is at most an e-process, and it fires at S·A: for S models
 * together at least A panes to a false alarm in the mean, whatever their rates, where panes are
 * independent. Where k = n it is (1 + r/n)^n (1 + n/r)^r, to within a tenth: for n = 24 and
 * A = 500 a model is named after 2 panes if S ≤ 2, after 3 if S ≤ 22, after 4 if S ≤ 175.
 *
 * Silence comes in stretches: one no longer than an earlier one, or of one pane, gives 0.
 * **Source**: Wasserman, Ramdas & Balakrishnan 2020, Universal inference; Shin, Ramdas & Rinaldo
 * 2023 for the time to a false alarm. Mixture and rule of stretches are own.
 *
 * @param panes oldest first, 1 with lists and 0 without, through the newest with lists.
 * @param absent r, panes since then. @returns 0 if r = 0 or n = 0. O(n).
 * @example
 * vanishedScore('1'.repeat(24), 3); // 11131.57
 */
export function vanishedScore(panes: string, absent: number): number {
  const n = panes.length;
  if (n === 0 || absent <= Math.max(HARMLESS, longestSilence(panes))) return 0;
  let k = 0;
  for (let pane = 0; pane < n; pane++) {
    if (panes[pane] === '1') {
      k++;
    }
  }
  const gone =
    k === n
      ? Math.log(1 - IRREGULAR + IRREGULAR / (n + 1))
      : Math.log(IRREGULAR) + logGamma(k + 1) + logGamma(n - k + 1) - logGamma(n + 2);
  const log = gone - steady(k, n - k + absent);
  return Math.exp(Math.min(LARGEST_LOG, log));
}

/** ln max_p p^k (1 − p)^m. */
function steady(k: number, m: number): number {
  return k * Math.log(k / (k + m)) + m * Math.log(m / (k + m));
}

function longestSilence(panes: string): number {
  return panes.split('1').reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** Panes of a model with lists and without. Plain numbers and text, so that it can be stored as it is. */
interface PresenceHistory {
  /** Panes through the newest with lists, oldest first: 1 with lists, 0 without; null before the first. */
  panes: string | null;
  /** Panes without lists since then. */
  absent: number;
  /** Start of the first of them, event time, ms. */
  since: number;
}

/** Older panes are forgotten. */
const MOST = 400;

function newPresenceHistory(): PresenceHistory {
  return {
    panes: null,
    absent: 0,
    since: 0,
  };
}

/** Adds a pane. The first one with lists begins the history and is not in it: it is there by choice. */
function note(history: PresenceHistory, hasLists: boolean, from: number): void {
  if (history.panes === null) {
    if (hasLists) {
      history.panes = '';
    }
    return;
  }
  if (!hasLists) {
    if (history.absent === 0) {
      history.since = from;
    }
    // More say no more, and the text below stays short.
    history.absent = Math.min(MOST, history.absent + 1);
    return;
  }
  history.panes = `${history.panes}${'0'.repeat(history.absent)}1`.slice(-MOST);
  history.absent = 0;
}

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
  return {
    all: newPresenceHistory(),
    expected: newPresenceHistory(),
    slots: {},
  };
}

/**
 * Record whether a model had lists in a pane. With a season, and after enough panes, only panes
 * count that had lists one season earlier, so a model that is silent every night raises no alarm.
 *
 * @param state changed in place.
 * @returns null while the series is learned; score 0 if the model has sent lists.
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
    if (state.slots[place] === 1) {
      note(state.expected, hasLists, from);
    }
    state.slots[place] = hasLists ? 1 : 0;
  }
  const history = isKnown(state.expected, learn) ? state.expected : state.all;
  if (!isKnown(history, learn)) return null;
  const { panes, absent, since } = history;
  return {
    score: vanishedScore(panes!, absent),
    size: null,
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
