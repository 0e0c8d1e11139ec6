import { isGiven } from '../../rows/reading.js';
import {
  type GammaRange,
  gammaSensitivity,
  type MeasureLevels,
  unreachedTail,
} from '../diagnostics/gamma-sensitivity.js';
import { LEADING } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { WIDEST_GAMMA } from '../propensity/gamma-error.js';
import { propensityExponent } from '../propensity/power-law.js';
import type { EstimateRow } from '../results/estimate.js';
import type { MeasureSensitivity } from '../results/sensitivity.js';

/** Half-width of the 95 % interval of γ in standard errors. */
const Z = 1.96;

/**
 * Compute how the estimates of a window depend on γ, for each metric and cut-off.
 *
 * The result has the band of every model's pooled snips estimate over γ in [−1, 1], and the values
 * of γ at which two models change places, searched in that range and in the interval of the γ in
 * use. Its `tails` say how much weight is on items less popular than any item on which a model has
 * a gain. See `gammaSensitivity` and `unreachedTail`. Withheld estimates have no band and no flips.
 *
 * @param counts count of each popularity level. @param measures rows and gains of the models by
 * level, over the organic rows.
 * @param results of the window, after the verdicts.
 */
export function windowSensitivity(
  counts: Float64Array,
  measures: readonly MeasureLevels[],
  results: readonly EstimateRow[],
  options: EstimateOptions,
): MeasureSensitivity[] {
  const range = rangeOf(options);
  const beta = propensityExponent(options.gamma);
  const found: MeasureSensitivity[] = [];
  for (const { metric, k, models: sums } of measures) {
    const own = results.filter((row) => row.metric === metric && row.k === k);
    const given = sums.filter(({ model }) => !isWithheld(own, model));
    const { bands, flips } = gammaSensitivity(counts, given, range);
    if (bands.length === 0) continue;
    const tails = given.flatMap((own) => unreachedTail(counts, own, beta) ?? []);
    found.push({
      metric,
      k,
      bands,
      flips,
      tails,
    });
  }
  return found;
}

/**
 * Range of γ that is searched for flips: [−1, 1], extended to the γ in use and its interval, but
 * never beyond [−5, 5].
 */
function rangeOf({ gamma, gammaStdErr, gammaHalfWidth }: EstimateOptions): GammaRange {
  const half = gammaHalfWidth ?? Z * gammaStdErr;
  return {
    from: Math.max(-WIDEST_GAMMA, Math.min(-1, gamma - half)),
    to: Math.min(WIDEST_GAMMA, Math.max(1, gamma + half)),
  };
}

/**
 * Whether a model's pooled snips estimate is withheld; if it was not computed, whether any pooled
 * estimate of the model is.
 */
function isWithheld(rows: readonly EstimateRow[], model: string): boolean {
  const pooled = rows.filter((row) => row.model === model && row.form === 'pooled');
  const leading = pooled.filter(({ estimator }) => estimator === LEADING);
  const judged = leading.length > 0 ? leading : pooled;
  return !judged.every(isGiven);
}
