import { isGiven } from '../../rows/reading.js';
import { RANDOMISED, UNCORRECTED } from '../names.js';
import type { EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { FeedbackReport } from '../results/window-estimates.js';
import { objectTo } from './withhold.js';

/** Least recall at which the estimates of a served model count as circular. */
const MOST_HITS = 0.95;
/** A recall counts as circular only if it is computed from at least this many rows. */
const FEW_ROWS = 30;

/**
 * Withhold estimates from interactions without a list id if nearly all of them are on items of the
 * served model's lists: recall and similar metrics are then circular. Estimates from randomised
 * traffic stay.
 *
 * With h the recall on the served lists, and h₀ the recall if they had not been served, the share κ
 * of rows that lists caused is 1 − (1 − h) / (1 − h₀). Only two arms would reveal h₀ (see
 * `causeByArms`). At h = .95, κ is below the limit of .10 only if users find more than .94 of all
 * items in the model's list without seeing it. h is the uncorrected pooled recall at the deepest
 * cut-off, so circularity may be missed if lists are longer than that.
 *
 * @param estimates of interactions without list ids; their rows are changed in place.
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
