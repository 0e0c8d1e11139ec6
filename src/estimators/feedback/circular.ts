import { isGiven } from '../../rows/reading.js';
import { RANDOMISED, UNCORRECTED } from '../names.js';
import type { EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { FeedbackReport } from '../results/window-estimates.js';
import { objectTo } from './withhold.js';

/** From this share of hits on a model's own served lists on, they say what was shown. */
const MOST_HITS = 0.95;
/** Fewer interactions say nothing of a share. */
const FEW_ROWS = 30;

/**
 * Withholds estimates from interactions that name no list if nearly all of those are on items that the
 * served model lists: then recall and the like are circular. What randomised traffic measures stays.
 *
 * With h the hit rate of served lists, h₀ what it would be if they had not been served, the share κ that
 * lists caused is 1 − (1 − h) / (1 − h₀). Without two arms nothing tells h₀ (`causeByArms` would), but at
 * h = .95, κ is below .10, from which on estimates are withheld, only if users find more than .94 of all in
 * the model's list without seeing it. Uncorrected pooled recall at the deepest cut-off stands for h, so
 * longer lists are not caught.
 *
 * @param estimates of interactions that name no list; their rows are changed.
 */
export function withholdCircular(
  { results, differences }: Estimates,
  { source, served, mode }: Pick<FeedbackReport, 'source' | 'served' | 'mode'>,
): void {
  if (source === 'arms' || !served.some((model) => isOnOwnLists(model, results))) return;
  const consequence = mode === 'caution' ? 'caution' : 'withheld';
  const reason = {
    code: 'circular',
    consequence,
    figures: {},
  } as const;
  for (const row of [...results, ...differences]) {
    if (row.estimator !== RANDOMISED && isGiven(row)) {
      objectTo(row, reason);
    }
  }
}

interface Estimates {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
}

function isOnOwnLists(model: string, results: readonly EstimateRow[]): boolean {
  const [deepest] = results
    .filter((row) => {
      const { metric, estimator, form } = row;
      const isHitRate = metric === 'recall' && estimator === UNCORRECTED && form === 'pooled';
      return isHitRate && row.model === model;
    })
    .sort((a, b) => (b.k ?? 0) - (a.k ?? 0));
  if (deepest === undefined || !isGiven(deepest)) return false;
  return deepest.counts.rows >= FEW_ROWS && deepest.value >= MOST_HITS;
}
