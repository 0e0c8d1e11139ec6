import { logGamma } from '../../estimators/mathematics/distributions.js';
import type { DetectorOptions } from './drift-options.js';
import type { Evidence } from './level-detectors.js';
import type { Pane } from './reading.js';

/** Prior probability that a model sends lists at an unknown rate, and not in every pane. */
const IRREGULAR = 0.1;
/**
 * Largest number of consecutive panes without lists that raises no alarm, since the lists of a
 * single pane are easily lost.
 */
const HARMLESS = 1;
/** Limit on the logarithm of a score, so that scores are finite. */
const LARGEST_LOG = 600;

/**
 * Likelihood ratio of two explanations of a model's silence: that the model is gone, and that its
 * lists come at a steady random rate.
 *
 * The model had lists in k of n panes, including the last one, and then in none of r panes.
 *
 *   score = [.9 · 1{k = n} + .1 · k! (n−k)! / (n+1)!] / max_p p^k (1 − p)^{n−k+r}
 *
 * The numerator is the likelihood of the n panes for a model that sends lists in every pane, or at
 * an unknown rate, until it is gone. The denominator is the largest likelihood at any steady rate.
 * So for each rate the score is at most an e-process. The detector fires at a score of S·A. A false
 * alarm among S models then takes at least A panes on average, whatever the rates of the models, if
 * panes are independent. For k = n the score is (1 + r/n)^n (1 + n/r)^r, to within a tenth. For n =
 * 24 and A = 500 a model is reported after 2 panes if S ≤ 2, after 3 if S ≤ 22, after 4 if S ≤ 175.
 *
 * Silent panes come in runs. A run of one pane, or one no longer than an earlier run, gives 0.
 * **Source**: Wasserman, Ramdas & Balakrishnan 2020, Universal inference; Shin, Ramdas & Rinaldo
 * 2023 for the time to a false alarm. The mixture and the rule for runs are our own.
 *
 * @param panes oldest first, 1 with lists and 0 without, up to the newest with lists.
 * @param absent r, number of panes since then. @returns 0 if r = 0 or n = 0. O(n).
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

/**
 * Logarithm of the largest likelihood of k panes with lists and m without at a steady rate p: ln
 * max_p p^k (1 − p)^m.
 */
function steady(k: number, m: number): number {
  return k * Math.log(k / (k + m)) + m * Math.log(m / (k + m));
}

function longestSilence(panes: string): number {
  return panes.split('1').reduce((longest, { length }) => Math.max(longest, length), 0);
}

/**
 * In which panes a model sent lists. The state consists of plain numbers and text, so it can be
 * stored directly.
 */
interface PresenceHistory {
  /**
   * The panes up to the newest with lists, oldest first: 1 with lists, 0 without; null before the
   * first pane with lists.
   */
  panes: string | null;
  /** Number of panes without lists since the newest with lists. */
  absent: number;
  /** Start of the first pane counted in `absent`, event time, ms. */
  since: number;
}

/** Maximum number of panes in the history; older ones are dropped. */
const MOST = 400;

function newPresenceHistory(): PresenceHistory {
  return {
    panes: null,
    absent: 0,
    since: 0,
  };
}

/**
 * Add a pane. The first pane with lists begins the history and is not part of it, because it was
 * selected for having lists.
 */
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
    // More panes would not change the result, and the text below stays short.
    history.absent = Math.min(MOST, history.absent + 1);
    return;
  }
  history.panes = `${history.panes}${'0'.repeat(history.absent)}1`.slice(-MOST);
  history.absent = 0;
}

/**
 * State of one model's series. It consists of plain numbers and text, so it can be stored directly.
 */
export interface PresenceSeriesState {
  /** Presence in all observed panes. */
  all: PresenceHistory;
  /** With a season: presence in the panes whose slot had lists one season earlier. */
  expected: PresenceHistory;
  /** With a season: by slot, 1 if the last pane in the slot had lists, otherwise 0. */
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
 * Note whether a model sent lists in a pane. With a season, and after enough panes, only panes
 * count whose slot had lists one season earlier, so a model that is silent every night raises no
 * alarm.
 *
 * @param state changed in place.
 * @returns null while the series is in training; score 0 if the model has sent lists.
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

/**
 * Restart after an alarm. When the model returns, it is learned from scratch, but the slots in
 * which it is silent are still known.
 */
export function restartPresence(state: PresenceSeriesState): void {
  state.all = newPresenceHistory();
  state.expected = newPresenceHistory();
}

function isKnown({ panes }: PresenceHistory, learn: number): boolean {
  return panes !== null && panes.length >= learn;
}
