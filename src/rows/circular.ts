import { UNCORRECTED } from '../estimators/names.js';
import type { EstimateRow } from '../estimators/results/estimate.js';
import type { FeedbackReport } from '../estimators/results/window-estimates.js';
import { isGiven } from './reading.js';

/** From this share of hits on a model's own served lists on, they say what was shown. */
const MOST_HITS = 0.95;
/** Fewer interactions say nothing of a share. */
const FEW_ROWS = 30;

/**
 * Whether interactions that name no list are, nearly all, on items that the served model lists: then
 * recall and the like are circular.
 *
 * With h the hit rate of served lists, h₀ what it would be if they had not been served, the share κ that
 * lists caused is 1 − (1 − h) / (1 − h₀). Without two arms nothing tells h₀ (`causeByArms` would), but at
 * h = .95, κ is below .10, from which on estimates are withheld, only if users find more than .94 of all in
 * the model's list without seeing it. Uncorrected pooled recall at the deepest cut-off stands for h, so
 * longer lists are not caught.
 */
export function isCircular({
  results,
  feedback,
}: {
  readonly results: readonly EstimateRow[];
  readonly feedback?: FeedbackReport | undefined;
}): boolean {
  if (feedback === undefined || feedback.source === 'arms') return false;
  const deepest = (feedback.uncaused?.results ?? results)
    .filter(({ metric, estimator, form }) => {
      return metric === 'recall' && estimator === UNCORRECTED && form === 'pooled';
    })
    .sort((a, b) => (b.k ?? 0) - (a.k ?? 0));
  return feedback.served.some((model) => {
    const row = deepest.find((own) => own.model === model);
    if (row === undefined || !isGiven(row)) return false;
    return row.counts.rows >= FEW_ROWS && row.value >= MOST_HITS;
  });
}
