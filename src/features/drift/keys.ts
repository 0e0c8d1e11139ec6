import type { Complete, Decoded, Report } from '../../config/key.js';
import {
  duration,
  oneOf,
  real,
  someOf,
  text,
  type WindowConfig,
  whole,
} from '../../config/kinds.js';
import { checkMetric, completeMetric, NO_METRIC } from '../../config/named-metrics.js';
import { formatDuration } from '../../config/units.js';
import { listed } from '../../config/words.js';
import { ratingMeasures } from '../../estimators/metrics/rating-measure-names.js';
import { isRatingMetric, type RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { ADDITIVE_METRICS, metricOf } from '../../estimators/metrics/registry.js';
import { type EstimatorName, LEADING, type Metric, UNCORRECTED } from '../../estimators/names.js';
import { ESTIMATORS } from '../../estimators/rules/registry.js';
import { STANDARDISATIONS } from '../reading.js';
import { DETECTORS, LEVEL_DETECTORS } from './drift-options.js';

const COMMANDS = ['serve', 'replay'] as const;

const LEARNED_AGAIN = {
  effect: 'reset',
  how: 'The detectors learn from scratch.',
} as const;

/** Configuration of `drift`: which series are monitored, and how. */
export const DRIFT = {
  detectors: someOf(DETECTORS, {
    description:
      'Drift detectors. `vanished` watches whether each model still sends lists. An empty list turns them off.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: ['cusum', 'psi', 'vanished'],
  }),
  standardisation: oneOf(STANDARDISATIONS, {
    description:
      'How values are standardised. `levels`: as normal scores, weighted by 1/SE². `ranks`: weighted by effective sample size; `e-cusum` and `e-sr` then use the rank among the newest 400 panes (500 with a season), and `cusum` uses scores clipped to ±2.5.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: 'ranks',
  }),
  window: duration({
    description: 'Window of the estimates that the detectors watch, one value after the other.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    least: '1ms',
    derived: 'the shortest window',
  }),
  metric: text({
    description: `Metrics that the detectors watch: at most one of ${listed(ADDITIVE_METRICS, 'or')}, and at most one of ratings, such as \`recall@10,mse\`. \`none\`: watch no estimates; \`none,mse\`: watch only mse.`,
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    expected: 'metrics such as recall@10, or none',
    derived: 'the first of each kind in `estimates.metrics`, at its largest k',
  }),
  estimators: someOf(ESTIMATORS, {
    description: 'Estimators to watch. The gap between naive and each of them is watched too.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    derived: 'naive and snips, if they are computed',
  }),
  threshold: real({
    description:
      'Threshold h of CUSUM for one series, with k = 0.5 standard deviations. It is raised with the number of series.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'standard deviations',
    above: 0,
    to: 1000,
    default: 5,
  }),
  guarantee: whole({
    description:
      'Mean number of windows (`drift.window`) until a false alarm, over all series together. It does not apply to CUSUM.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'windows',
    from: 10,
    to: 1_000_000_000,
    default: 500,
  }),
  learn: whole({
    description:
      'Number of windows (`drift.window`) from which the baseline of a series is learned; until then it raises no alarm. An alarm is shown for the same number of windows, at least ten.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'windows',
    from: 3,
    to: 100_000,
    default: 24,
  }),
  season: oneOf(['week', 'day', 'none'], {
    description: 'Seasonal period. `week`: compare with the same hour of the week.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: 'week',
  }),
} as const;

export type DriftConfig = Complete<typeof DRIFT>;

/** Settings from which the options of change detection are derived. */
interface Watchable {
  readonly drift: Decoded<typeof DRIFT>;
  readonly time: { readonly windows: readonly WindowConfig[] };
  readonly estimates: {
    readonly metrics: readonly (Metric | RatingMetric)[];
    readonly ks: readonly number[];
    readonly estimators: readonly EstimatorName[];
  };
}

/** Estimators whose difference shows how much popularity bias a model's estimate has. */
const WATCHED: readonly EstimatorName[] = [UNCORRECTED, LEADING];

/**
 * Fill in defaults: the shortest window, the first metric that can be monitored at its largest
 * cut-off k, and the estimators naive and snips.
 */
export function completeDrift({ drift, time, estimates }: Watchable): DriftConfig {
  const [gain] = watchable(estimates.metrics, estimates.ks.slice(-1));
  const [rating] = ratingMeasures(estimates.metrics, estimates.ks.slice(-1));
  return {
    ...drift,
    windowMs: drift.windowMs ?? Math.min(...time.windows.map(({ ms }) => ms)),
    metric: completeMetric(drift.metric, { gain, rating }),
    estimators: drift.estimators ?? estimates.estimators.filter((name) => WATCHED.includes(name)),
  };
}

/** Check that the monitored window, metrics and estimators are computed. */
export function checkDrift(
  { drift, time, estimates }: Watchable,
  complete: DriftConfig,
  fault: Report,
  warn: Report,
): void {
  if (!time.windows.some(({ ms }) => ms === complete.windowMs)) {
    const windows = time.windows.map(({ name }) => name).join(', ');
    const found = formatDuration(complete.windowMs);
    fault('drift.window', `expected one of time.windows (${windows}), found ${found}`);
  }
  const gains = watchable(estimates.metrics, estimates.ks);
  checkMetric('drift.metric', drift.metric, gains, estimates, fault);
  for (const name of drift.estimators ?? []) {
    if (estimates.estimators.includes(name)) continue;
    fault('drift.estimators', `expected some of estimates.estimators, found ${name}`);
  }
  warnUnwatched(
    {
      drift,
      time,
      estimates,
    },
    complete,
    warn,
  );
}

/** Warn if defaults leave no model monitored. */
function warnUnwatched({ drift, estimates }: Watchable, complete: DriftConfig, warn: Report): void {
  const isWatching = LEVEL_DETECTORS.some((name) => drift.detectors.includes(name));
  if (!isWatching) return;
  const unwatched = 'so no model is watched for changes of its estimates';
  if (drift.metric === undefined && complete.metric === NO_METRIC) {
    const metrics = `none of estimates.metrics (${estimates.metrics.join(', ')})`;
    const watched = ADDITIVE_METRICS.join(', ');
    warn('drift.metric', `${metrics} is a mean over events, ${unwatched}; add one of ${watched}`);
  } else if (drift.estimators === undefined && complete.estimators.length === 0) {
    const watched = WATCHED.join(' nor ');
    warn('drift.estimators', `neither ${watched} is computed, ${unwatched}; name some that are`);
  }
}

/**
 * Names, with cut-off k, of the metrics that are means over events; only these can be monitored.
 */
function watchable(metrics: readonly (Metric | RatingMetric)[], ks: readonly number[]): string[] {
  return metrics.flatMap((metric) => {
    if (isRatingMetric(metric)) return [];
    const entry = metricOf(metric);
    if (entry.kind === 'set') return [];
    if (entry.kind === 'list') return [metric];
    const cut = entry.isCut ? ks.map((k) => `${metric}@${k}`) : [];
    return entry.isUncut ? [...cut, metric] : cut;
  });
}
