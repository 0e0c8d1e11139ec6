import type { Complete, Decoded, Report } from '../../config/key.js';
import { real, text } from '../../config/kinds.js';
import { checkMetric, completeMetric, metricsNamed } from '../../config/named-metrics.js';
import { formatDuration } from '../../config/units.js';
import { listed } from '../../config/words.js';
import { ratingMeasures } from '../../estimators/metrics/rating-measure-names.js';
import { isRatingMetric, type RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { METRICS, metricOf } from '../../estimators/metrics/registry.js';
import type { Metric } from '../../estimators/names.js';

const DAY_MS = 86_400_000;
const STARTS_AGAIN = {
  effect: 'reset',
  how: 'Verdicts restart.',
} as const;

/** Metrics whose gain depends on the item's rank alone; only these can decide verdicts. */
const DECIDING = METRICS.filter((name) => metricOf(name).kind === 'rank');

/** Configuration of verdicts. */
export const DECISION = {
  metric: text({
    description: `Metrics that decide verdicts: one list metric (${listed(DECIDING, 'or')}) and, in \`evaluate\`, one rating metric, such as \`recall@10,mse\`. \`none\`: no verdicts; \`none,mse\`: verdicts by mse alone.`,
    commands: ['serve', 'replay', 'evaluate'],
    state: STARTS_AGAIN,
    expected: 'metrics such as recall@10, or none',
    derived: 'the first of each kind in `estimates.metrics`, at its largest k',
  }),
  margin: real({
    description:
      'Smallest difference that matters, as a share of the reference’s value on the first day.',
    commands: ['serve', 'replay'],
    state: STARTS_AGAIN,
    unit: 'share of the value',
    above: 0,
    to: 1,
    default: 0.05,
  }),
} as const;

export type DecisionConfig = Complete<typeof DECISION>;

/** Settings from which the options of verdicts are derived. */
interface Judged {
  readonly decision: Decoded<typeof DECISION>;
  readonly time: { readonly tickMs: number };
  readonly estimates: {
    readonly metrics: readonly (Metric | RatingMetric)[];
    readonly ks: readonly number[];
  };
}

/**
 * Complete the configuration of verdicts. By default two metrics decide, each at its largest
 * cut-off: the first metric by rank, and the first rating metric. If a day is not a whole number of
 * panes, no metric by rank decides by default.
 */
export function completeDecision({ decision, time, estimates }: Judged): DecisionConfig {
  const [first] = deciding(estimates.metrics, estimates.ks.slice(-1));
  const gain = DAY_MS % time.tickMs === 0 ? first : undefined;
  const [rating] = ratingMeasures(estimates.metrics, estimates.ks.slice(-1));
  return {
    ...decision,
    metric: completeMetric(decision.metric, { gain, rating }),
  };
}

export function checkDecision(
  { decision: { metric }, time: { tickMs }, estimates }: Judged,
  fault: Report,
  warn: Report,
): void {
  const { metrics, ks } = estimates;
  const gains = [...new Set([...deciding(metrics, ks), ...deciding(DECIDING, ks)])];
  checkMetric('decision.metric', metric, gains, estimates, fault);
  if (DAY_MS % tickMs === 0) return;
  if (metric !== undefined && metricsNamed(metric).gain === undefined) return;
  const uneven = `a day is not a multiple of time.tick (${formatDuration(tickMs)})`;
  if (metric === undefined) {
    warn('decision.metric', `${uneven}, so there are no verdicts`);
  } else {
    fault(
      'decision.metric',
      `${uneven}: set a time.tick that divides a day, or no deciding metric`,
    );
  }
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
