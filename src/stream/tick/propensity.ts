import type { GammaFit } from '../../propensity/gamma.js';
import { fitGamma } from '../../propensity/gamma-fit.js';
import type { PropensityReport } from '../snapshot.js';
import { byModel } from './by-model.js';
import { exposureCounts, laggedPopularity } from './item-counts.js';
import type { TickInput } from './tick-input.js';

/**
 * γ of a tick: exposures of each model, and of all, within the period are fitted to popularity from
 * before it; which fit the estimators use is the choice's.
 */
export function* propensityReport(
  { counted, models, options, learned }: TickInput,
  size: number,
): Generator<void, PropensityReport> {
  const { periodMs } = options.gamma;
  const lagged = laggedPopularity(counted, periodMs, size);
  const all = new Float64Array(size);
  const fits = byModel<GammaFit>();
  for (const { name, id } of models) {
    const exposures = exposureCounts(counted.observed, id, size, periodMs);
    for (let i = 0; i < size; i++) all[i] += exposures[i];
    fits[name] = fitGamma(lagged, exposures, size);
    yield;
  }
  fits['*'] = fitGamma(lagged, all, size);
  yield;
  return learned.gamma.report(fits);
}
