import { logGamma } from '../../mathematics/incomplete-beta.js';

/** Weight of models that do not send lists in every pane. */
const IRREGULAR = 0.1;
/** This many silent panes are never an alarm by themselves: one is soon lost. */
const HARMLESS = 1;
/** So that a score is a number in JSON and in a gauge; no threshold is anywhere near. */
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
  for (let pane = 0; pane < n; pane++) if (panes[pane] === '1') k++;
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
