import type { ServedLog } from '../arms/served-log.js';
import type { ShareStrata } from '../arms/share-strata.js';
import { RankPatterns } from './rank-patterns.js';

/**
 * The rewarded items of a log by the ranks at which they might have been shown.
 *
 * p_k = Σ_a s_a 1{r_a = k}, and s_a / M at every rank for an arm whose lists are drawn at random.
 * O(rewarded rows · (arms + ranks)).
 *
 * @param ranks that are looked at.
 */
export function clickedRanks(log: ServedLog, strata: ShareStrata, ranks: number): RankPatterns {
  const { requests, items, arms, clusters } = log;
  const patterns = new RankPatterns(ranks, clusters);
  const chances = new Float64Array(ranks);
  for (let row = 0; row < items.length; row++) {
    if (items.reward[row] === 0) continue;
    const q = items.request[row];
    const shown = items.ranks[arms[requests.arm[q]].list][row];
    if (shown >= ranks) continue;
    chances.fill(0);
    for (let a = 0; a < arms.length; a++) {
      const share = strata.share[requests.stratum[q] * arms.length + a];
      const rank = items.ranks[arms[a].list][row];
      if (arms[a].isUniform === true) {
        for (let k = 0; k < ranks; k++) chances[k] += share / requests.candidates![q];
      } else if (rank < ranks) chances[rank] += share;
    }
    // A list that was declared never to be served says nothing.
    if (chances[shown] > 0) patterns.add(chances, shown, requests.cluster[q]);
  }
  return patterns;
}
