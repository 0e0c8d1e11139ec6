import type { Config, ConfigEntry } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import { interventionOf } from '../../estimators/rules/registry.js';
import { hasExponent, isSmoothed, type SetPlan } from '../../export/set-plan.js';

export interface RangeOptions {
  readonly from: number | null;
  readonly to: number | null;
  /** Whether the train part has files of its own, so that no hash splits the events. */
  readonly hasTrain: boolean;
  /** Identity of the propensities file, if there is one. */
  readonly propensities?: PropensityStamp | undefined;
}

/**
 * Create the plan of a set from the settings of `export`.
 *
 * @throws UnskewError USAGE for a setting that was given but has no effect.
 */
export function planOf(
  { export: settings, estimates, positive, events: { actions } }: Config,
  entries: readonly ConfigEntry[],
  { from, to, hasTrain, propensities }: RangeOptions,
): SetPlan {
  const { smoothing } = estimates;
  const { strategy, size, seed, split, exponent, part, withTrain, format } = settings;
  const { keepsAll = false } = interventionOf(strategy);
  const byFile = propensities && 'pairs are weighted by the propensities in a file';
  refuseUnused(entries, {
    'export.size': keepsAll ? `${strategy} keeps every row` : undefined,
    'export.exponent': hasExponent(strategy) ? byFile : `${strategy} has no exponent`,
    'estimates.smoothing': isSmoothed(strategy) ? byFile : `${strategy} uses no counts`,
    'export.split': hasTrain ? 'the train events are given' : undefined,
    'export.withTrain': part === 'train' && withTrain ? 'the set is the train part' : undefined,
  });
  if (size > 1 && !Number.isInteger(size)) {
    throw new UnskewError(
      'USAGE',
      `export.size: expected a share of at most 1 or a whole number of rows, found ${size}`,
    );
  }
  if (from !== null && to !== null && from >= to) {
    throw new UnskewError('USAGE', 'the range is empty: --from must be before --to');
  }
  const share = keepsAll ? 1 : size;
  return {
    strategy,
    size: share <= 1 ? { share } : { rows: share },
    seed,
    split: hasTrain ? null : split,
    exponent,
    smoothing,
    ...(propensities && { propensities }),
    part,
    withTrain,
    format,
    positiveMinValue: positive.minValue,
    actions,
    from,
    to,
  };
}

/**
 * Settings that estimates use too. In a file or variable they may be meant for estimates, so only
 * their flags count as given for the set.
 */
const OF_ESTIMATES: ReadonlySet<string> = new Set(['export.exponent', 'estimates.smoothing']);

function refuseUnused(
  entries: readonly ConfigEntry[],
  reasons: Readonly<Record<string, string | undefined>>,
): void {
  for (const { path, origin } of entries) {
    const reason = reasons[path];
    // A value in a file or variable may be meant for estimates.
    const isGiven = OF_ESTIMATES.has(path) ? origin.startsWith('--') : origin !== 'default';
    if (reason !== undefined && isGiven) {
      throw new UnskewError('USAGE', `${origin}: ${path} would have no effect: ${reason}`);
    }
  }
}
