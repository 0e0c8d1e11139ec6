import type { Metric } from '../../estimators/names.js';
import { ratingMeasures } from '../../gains/rating-measure-names.js';
import { isRatingMetric, type RatingMetric } from '../../gains/rating-metrics.js';
import { METRICS, metricOf } from '../../gains/registry.js';
import type { Complete, Decoded, Report } from '../key.js';
import { real, text } from '../kinds.js';
import { formatDuration } from '../units.js';
import { listed } from '../words.js';
import { NO_METRIC } from './drift.js';

const DAY_MS = 86_400_000;
const STARTS_AGAIN = { effect: 'reset', how: 'Verdicts begin again with the next look.' } as const;

/** Gains by rank alone: whatever a list ranks, they are known of it. */
const DECIDING = METRICS.filter((name) => metricOf(name).kind === 'rank');

/** How it is decided which model is better. */
export const DECISION = {
  metric: text({
    description: `The metric by which models are judged, such as \`recall@10\`: ${listed(DECIDING, 'or')}. \`none\`: no verdicts.`,
    commands: ['serve', 'replay', 'evaluate'],
    state: STARTS_AGAIN,
    expected: 'a metric such as recall@10, or none',
    derived: 'the first such metric of `estimates.metrics`, at its largest k',
  }),
  ratings: text({
    description:
      'The metric of ratings by which models that predict ratings are judged: one of `estimates.metrics`, such as `mse` or `cg@10`. `none`: no verdicts by ratings.',
    commands: ['evaluate'],
    expected: 'a metric of ratings such as mse, or none',
    derived: 'the first metric of ratings of `estimates.metrics`, at its largest k',
  }),
  margin: real({
    description:
      'A difference that is smaller than this share of the reference’s value on the first day does not matter.',
    commands: ['serve', 'replay'],
    state: STARTS_AGAIN,
    unit: 'share of the value',
    above: 0,
    to: 1,
    default: 0.05,
  }),
} as const;

export type DecisionConfig = Complete<typeof DECISION>;

/** What the settings of decisions follow from. */
interface Judged {
  readonly decision: Decoded<typeof DECISION>;
  readonly time: { readonly tickMs: number };
  readonly estimates: {
    readonly metrics: readonly (Metric | RatingMetric)[];
    readonly ks: readonly number[];
  };
}

/** The first metric that can decide at its largest cut-off; none where no day ends with a pane. */
export function completeDecision({ decision, time, estimates }: Judged): DecisionConfig {
  const [first = NO_METRIC] = deciding(estimates.metrics, estimates.ks.slice(-1));
  const derived = DAY_MS % time.tickMs === 0 ? first : NO_METRIC;
  const [byRatings = NO_METRIC] = ratingMeasures(estimates.metrics, estimates.ks.slice(-1));
  return {
    ...decision,
    metric: decision.metric ?? derived,
    ratings: decision.ratings ?? byRatings,
  };
}

export function checkDecision(
  { decision: { metric }, time: { tickMs }, estimates: { metrics, ks } }: Judged,
  complete: DecisionConfig,
  fault: Report,
  warn: Report,
): void {
  const known = [...new Set([...deciding(metrics, ks), ...deciding(DECIDING, ks)]), NO_METRIC];
  if (!known.includes(complete.metric)) {
    fault('decision.metric', `expected one of ${known.join(', ')}, found ${complete.metric}`);
  }
  const ofRatings = [...ratingMeasures(metrics, ks), NO_METRIC];
  if (!ofRatings.includes(complete.ratings)) {
    fault('decision.ratings', `expected one of ${ofRatings.join(', ')}, found ${complete.ratings}`);
  }
  if (DAY_MS % tickMs === 0 || metric === NO_METRIC) return;
  const uneven = `a day is no multiple of time.tick (${formatDuration(tickMs)})`;
  if (metric === undefined) warn('decision.metric', `${uneven}, so there are no verdicts`);
  else fault('decision.metric', `${uneven}: verdicts need one that divides it, or none`);
}

function deciding(metrics: readonly (Metric | RatingMetric)[], ks: readonly number[]): string[] {
  return metrics.flatMap((metric) => {
    if (isRatingMetric(metric)) return [];
    const entry = metricOf(metric);
    if (entry.kind !== 'rank') return [];
    const cut = entry.isCut ? ks.map((k) => `${metric}@${k}`) : [];
    return entry.isUncut ? [...cut, metric] : cut;
  });
}
