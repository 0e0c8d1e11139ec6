import { inSlices } from '../../slices.js';
import type { ServedLog } from '../arms/served-log.js';
import type { ShareStrata } from '../arms/share-strata.js';
import { KeyedClicks } from './keyed-clicks.js';
import { RankPatterns } from './rank-patterns.js';
import { RowChances } from './row-chances.js';

/**
 * The rewarded items of a log by the ranks at which they might have been shown.
 *
 * p_k = Σ_a s_a 1{r_a = k}, and s_a / M at every rank that an arm fills whose lists are drawn at
 * random.
 * O(rewarded rows · (arms + ranks)).
 *
 * @param ranks that are looked at. @param patterns take them in.
 */
export function* clickedRanks(
  log: ServedLog,
  strata: ShareStrata,
  ranks: number,
  patterns = new RankPatterns(ranks, log.clusters),
): Generator<void, RankPatterns> {
  const { requests, items, arms } = log;
  const chances = new RowChances(log, strata, ranks);
  const keyed = chances.keys < Number.POSITIVE_INFINITY ? new KeyedClicks(chances, patterns) : null;
  const { reward, request } = items;
  const { arm, cluster: clusterOf } = requests;
  const ranksOf = arms.map(({ list }) => items.ranks[list]);
  yield* inSlices(items.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (reward[row] === 0) continue;
      const q = request[row];
      const shown = ranksOf[arm[q]][row];
      if (shown >= ranks) continue;
      const cluster = clusterOf[q];
      if (keyed !== null) keyed.add(chances.keyOf(row, q), shown, cluster);
      else patterns.addPossible(chances.of(row), shown, cluster);
    }
  });
  if (keyed !== null) yield* keyed.drain();
  return patterns;
}
