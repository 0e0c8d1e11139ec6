import { DETECTORS, LEVEL_DETECTORS, STANDARDISATIONS } from '../../drift/detectors/detector.js';
import { type EstimatorName, LEADING, type Metric, UNCORRECTED } from '../../estimators/names.js';
import { ESTIMATORS } from '../../estimators/registry/registry.js';
import { ratingMeasures } from '../../gains/rating-measure-names.js';
import { isRatingMetric, type RatingMetric } from '../../gains/rating-metrics.js';
import { ADDITIVE_METRICS, metricOf } from '../../gains/registry.js';
import type { Complete, Decoded, Report } from '../key.js';
import { duration, oneOf, real, someOf, text, type WindowConfig, whole } from '../kinds.js';
import { formatDuration } from '../units.js';
import { listed } from '../words.js';

const COMMANDS = ['serve', 'replay'] as const;

const LEARNED_AGAIN = { effect: 'reset', how: 'The detectors learn from scratch.' } as const;

/** What is watched for changes, and how. */
export const DRIFT = {
  detectors: someOf(DETECTORS, {
    description:
      'Detectors of change. `vanished` watches whether each model still sends lists. An empty list in the file: none.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: ['cusum', 'psi', 'vanished'],
  }),
  standardisation: oneOf(STANDARDISATIONS, {
    description:
      'How values become comparable. `levels`: as normal scores, weighted by 1/SE². `ranks`: by effective sample size, for `e-cusum` and `e-sr` by their ranks among the newest 400 panes (500 with a season), for `cusum` as scores within ±2.5; a value of 0 counts like any other, and until its place in the season has three values a series is compared with all of them.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: 'ranks',
  }),
  window: duration({
    description: 'The window whose disjoint stretches are the detectors’ panes.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    least: '1ms',
    derived: 'the shortest window',
  }),
  metric: text({
    description: `The metric that models are watched by, such as \`recall@10\`. It has to be a mean over events: ${listed(ADDITIVE_METRICS, 'or')}. \`none\`: models are not watched by their estimates.`,
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    expected: 'a metric such as recall@10, or none',
    derived: 'the first such metric, at its largest k',
  }),
  ratings: text({
    description:
      'The metric of ratings that models are watched by beside: one of `estimates.metrics`, such as `mse` or `cg@10`. `none`: they are not watched by their ratings.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    expected: 'a metric of ratings such as mse, or none',
    derived: 'the first metric of ratings of `estimates.metrics`, at its largest k',
  }),
  estimators: someOf(ESTIMATORS, {
    description: 'Estimators that are watched, with the gap of each to naive.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    derived: 'naive and snips, if they are computed',
  }),
  allowance: real({
    description: 'k of CUSUM: half the change to be found soonest.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'standard deviations',
    above: 0,
    to: 5,
    default: 0.5,
  }),
  threshold: real({
    description: 'h of CUSUM for one series. It grows with the number of series.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'standard deviations',
    above: 0,
    to: 1000,
    default: 5,
  }),
  guarantee: whole({
    description:
      'Mean number of panes to a false alarm over all series, for the detectors other than CUSUM.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'panes',
    from: 10,
    to: 1_000_000_000,
    default: 500,
  }),
  learn: whole({
    description: 'Panes from which a series is learned before it is judged.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'panes',
    from: 3,
    to: 100_000,
    default: 24,
  }),
  hold: whole({
    description: 'Panes for which an alarm is shown.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    unit: 'panes',
    from: 1,
    to: 100_000,
    default: 24,
  }),
  season: oneOf(['week', 'day', 'none'], {
    description:
      'Period of what is normal. `week`: normal is what is normal at that hour of the week.',
    commands: COMMANDS,
    state: LEARNED_AGAIN,
    default: 'week',
  }),
} as const;

export type DriftConfig = Complete<typeof DRIFT>;

/** What the settings of drift follow from. */
interface Watchable {
  readonly drift: Decoded<typeof DRIFT>;
  readonly time: { readonly windows: readonly WindowConfig[] };
  readonly estimates: {
    readonly metrics: readonly (Metric | RatingMetric)[];
    readonly ks: readonly number[];
    readonly estimators: readonly EstimatorName[];
  };
}

/** As `drift.metric`: models are not watched by their estimates. */
export const NO_METRIC = 'none';

/** Estimators whose difference says how far popularity flatters a model. */
const WATCHED: readonly EstimatorName[] = [UNCORRECTED, LEADING];

/** The shortest window, the first metric that can be watched at its largest cut-off, naive and snips. */
export function completeDrift({ drift, time, estimates }: Watchable): DriftConfig {
  const [first = NO_METRIC] = watchable(estimates.metrics, estimates.ks.slice(-1));
  const [ofRatings = NO_METRIC] = ratingMeasures(estimates.metrics, estimates.ks.slice(-1));
  return {
    ...drift,
    windowMs: drift.windowMs ?? Math.min(...time.windows.map(({ ms }) => ms)),
    metric: drift.metric ?? first,
    ratings: drift.ratings ?? ofRatings,
    estimators: drift.estimators ?? estimates.estimators.filter((name) => WATCHED.includes(name)),
  };
}

/** What is watched has to be computed. */
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
  const metrics = [...watchable(estimates.metrics, estimates.ks), NO_METRIC];
  if (!metrics.includes(complete.metric)) {
    fault('drift.metric', `expected one of ${metrics.join(', ')}, found ${complete.metric}`);
  }
  const ofRatings = [...ratingMeasures(estimates.metrics, estimates.ks), NO_METRIC];
  if (!ofRatings.includes(complete.ratings)) {
    fault('drift.ratings', `expected one of ${ofRatings.join(', ')}, found ${complete.ratings}`);
  }
  for (const name of drift.estimators ?? []) {
    if (estimates.estimators.includes(name)) continue;
    fault('drift.estimators', `expected some of estimates.estimators, found ${name}`);
  }
  warnUnwatched({ drift, time, estimates }, complete, warn);
}

/** If nobody asked for it, a model that is not watched is worth a line. */
function warnUnwatched({ drift, estimates }: Watchable, complete: DriftConfig, warn: Report): void {
  const isWatching = LEVEL_DETECTORS.some((name) => drift.detectors.includes(name));
  if (!isWatching) return;
  const unwatched = 'so no model is watched for changes of its estimates';
  const isByRatings = complete.ratings !== NO_METRIC;
  if (drift.metric === undefined && complete.metric === NO_METRIC && !isByRatings) {
    const metrics = `none of estimates.metrics (${estimates.metrics.join(', ')})`;
    const watched = ADDITIVE_METRICS.join(', ');
    warn('drift.metric', `${metrics} is a mean over events, ${unwatched}; add one of ${watched}`);
  } else if (drift.estimators === undefined && complete.estimators.length === 0) {
    const watched = WATCHED.join(' nor ');
    warn('drift.estimators', `neither ${watched} is computed, ${unwatched}; name some that are`);
  }
}

/** Names of the metrics that are means over events, with their cut-offs. */
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
