import { type ExponentTest, exponentTest } from '../../estimators/diagnostics/exponent-test.js';
import { calibration } from '../../estimators/propensity/calibration.js';
import type { GammaFit } from '../../estimators/propensity/gamma.js';
import { fitGamma } from '../../estimators/propensity/gamma-fit.js';
import { gammaInterval } from '../../estimators/propensity/gamma-interval.js';
import { type CountedItems, exposureCounts, laggedPopularity, widened } from './item-counts.js';
import type { PropensityReport } from './snapshot.js';
import type { TickInput } from './tick-input.js';

/** γ of a tick, and the test of its β against randomised traffic (null if β is not tested). */
interface TickPropensity {
  readonly propensity: PropensityReport;
  readonly exponentTest: ExponentTest | null;
}

/**
 * Fit and choose the γ of a tick. The fits relate the exposures within the γ period to the
 * popularity before it: one fit for each model, and one for all models together. The configured
 * rule then chooses γ. If popularity does not count randomised traffic, the exponent β is tested
 * against the positive interactions of that traffic.
 */
export function tickPropensity(
  { counted, models, options, learned, windows }: TickInput,
  size: number,
): TickPropensity {
  const { periodMs } = options.gamma;
  const lagged = laggedPopularity(counted, periodMs, size);
  const all = new Float64Array(size);
  const fits = byModel<GammaFit>();
  for (const { name, id } of models) {
    const exposures = exposureCounts(counted.observed, id, size, periodMs);
    for (let i = 0; i < size; i++) {
      all[i] += exposures[i];
    }
    fits[name] = fitGamma(lagged, exposures, size);
  }
  fits['*'] = fitGamma(lagged, all, size);
  const { organic, randomized } = positives(counted, size);
  const { isAuto } = learned.gamma;
  const isTested = counted.known.ignoresRandomized && randomized.some((count) => count > 0);
  const calibrated = isAuto || isTested ? calibration(organic, randomized, size) : undefined;
  let propensity: PropensityReport;
  if (isAuto) {
    const evidence = {
      calibration: calibrated!,
      exposures: gammaInterval(lagged, all, size),
    };
    propensity = learned.gamma.report(fits, evidence, windows[0].to);
  } else {
    propensity = learned.gamma.report(fits);
  }
  const isHeld = isTested && calibrated !== undefined;
  return {
    propensity,
    exponentTest: isHeld ? exponentTest(calibrated, propensity.beta) : null,
  };
}

/** Per item: popularity, and positive interactions from randomised traffic. */
function positives({ known, observed }: CountedItems, size: number) {
  const randomized = widened(known.randomizedPositives.counts, size);
  // As for posteriors, if train events are separate, randomised traffic of both parts is used.
  if (observed !== known) {
    const other = observed.randomizedPositives.counts;
    for (let i = 0; i < Math.min(size, other.length); i++) {
      randomized[i] += other[i];
    }
  }
  return {
    organic: widened(known.popularity().counts, size),
    randomized,
  };
}

/** A record without a prototype, because a model may be called `__proto__`. */
export function byModel<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** Map the values of a record by model. */
export function mapped<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Record<string, R> {
  const result = byModel<R>();
  for (const [model, value] of Object.entries(record)) {
    result[model] = map(value);
  }
  return result;
}
