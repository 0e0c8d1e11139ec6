import type { Evidence } from './excursion.js';

/** A score with the start of its pane, ms. */
export interface ScoredPane {
  readonly from: number;
  readonly z: number;
}

/** This many of the newest scores are kept to date a change by; older ones are not looked at. */
export const DATED_PANES = 48;

/**
 * The most likely start of a change of unknown size within what a detector takes for one.
 *
 * The j ≥ since that maximises (Σ_{i ≥ j} z_i)² / (n − j + 1), which is twice the log-likelihood
 * ratio at the best size; the size is the mean of z from there on. A detector's own start is that
 * of a change of the size it is made for: chance scores before a large change stretch it.
 * **Source**: Hinkley 1970, inference about the change-point.
 *
 * @param recent oldest first. @param evidence of the newest of them; given back as it is if it
 * starts before all of them.
 * @example
 * const recent = [{ from: 0, z: 0.6 }, { from: 1, z: 0 }, { from: 2, z: 5 }];
 * dated(recent, { score: 4.1, since: 0, size: 1.87 }).since; // 2
 */
export function dated(recent: readonly ScoredPane[], evidence: Evidence): Evidence {
  if (recent.length === 0 || evidence.since < recent[0].from) return evidence;
  let best = { since: evidence.since, size: evidence.size, likelihood: -1 };
  let sum = 0;
  for (let j = recent.length - 1; j >= 0 && recent[j].from >= evidence.since; j--) {
    sum += recent[j].z;
    const panes = recent.length - j;
    const likelihood = (sum * sum) / panes;
    if (likelihood > best.likelihood) {
      best = { since: recent[j].from, size: sum / panes, likelihood };
    }
  }
  return { score: evidence.score, since: best.since, size: best.size };
}
