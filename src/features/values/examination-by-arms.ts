import { checkLog } from './arms/check-log.js';
import type { ServedLog } from './arms/served-log.js';
import { type ShareStrata, strataOfLog } from './arms/share-strata.js';
import { type Examination, fitExamination } from './fit-examination.js';
import { KeyedClicks } from './keyed-clicks.js';
import { RowChances } from './look-chances.js';
import { RankPatterns } from './rank-patterns.js';

/**
 * Estimate the examination probability of each rank from arms that rank items differently.
 *
 * P(rank k | click) = θ_k p_k / Σ_j θ_j p_j, p_k = Σ_a s_a 1{r_a = k}: see `fitExamination`. The
 * fit needs the clicks of ten windows or more. Assuming a curve instead would bias the values.
 *
 * @param places ranks that are examined. @param shares empirical (by default) or declared; requests'
 * own shares are always declared.
 * @returns θ of NaN beyond rank 0 without clicks; `identified` is the number of positions that can
 * be evaluated.
 * @throws UnskewError USAGE for inconsistent columns.
 * @example
 * // an item at rank 0 of one arm and rank 1 of the other, clicked at each once
 * const requests = { length: 2, arm: [0, 1], stratum: [0, 0], cluster: [0, 1] };
 * const items = { length: 2, request: [0, 1], reward: [1, 1], ranks: [[0, 0], [1, 1]] };
 * const arms = [{ list: 0 }, { list: 1 }];
 * const log = { models: ['a', 'b'], arms, shares: [[0.5, 0.5]], clusters: 2, requests, items };
 * examinationByArms(log, 2).theta; // [1, 1]
 */
export function examinationByArms(
  log: ServedLog,
  places: number,
  shares: 'empirical' | 'declared' = 'empirical',
): Examination {
  checkLog(log, places);
  return examinationOfLog(log, places, shares);
}

/** Estimate examination from a log with consistent columns. */
export function examinationOfLog(
  log: ServedLog,
  places: number,
  shares: 'empirical' | 'declared' = 'empirical',
): Examination {
  const strata = strataOfLog(log, shares === 'empirical');
  return fitExamination(clickedRanks(log, strata, places));
}

/**
 * Count the rewarded items of a log by the ranks at which they could have been shown.
 *
 * p_k = Σ_a s_a 1{r_a = k}, and s_a / M at every rank that a randomised arm fills. O(rewarded rows
 * · (arms + ranks)).
 *
 * @param ranks number of examined ranks.
 */
export function clickedRanks(log: ServedLog, strata: ShareStrata, ranks: number): RankPatterns {
  const { requests, items, arms } = log;
  const patterns = new RankPatterns(ranks, log.clusters);
  const chances = new RowChances(log, strata, ranks);
  const keyed = chances.keys < Number.POSITIVE_INFINITY ? new KeyedClicks(chances, patterns) : null;
  const { reward, request } = items;
  const { arm, cluster: clusterOf } = requests;
  const ranksOf = arms.map(({ list }) => items.ranks[list]);
  for (let row = 0; row < items.length; row++) {
    if (reward[row] === 0) continue;
    const q = request[row];
    const shown = ranksOf[arm[q]][row];
    if (shown >= ranks) continue;
    const cluster = clusterOf[q];
    if (keyed !== null) {
      keyed.add(chances.keyOf(row, q), shown, cluster);
    } else {
      patterns.add(chances.of(row), shown, cluster);
    }
  }
  if (keyed !== null) {
    keyed.drain();
  }
  return patterns;
}
