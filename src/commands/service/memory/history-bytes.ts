import type { Config } from '../../../config.js';
import { measures } from '../../../gains/metric-gain.js';
import { METRICS, type Metric } from '../../../gains/registry.js';
import { COARSE_MS, DENSE_TICKS } from '../../../history/history.js';

/** The names of a series, as keys and apart. */
const NAME_BYTES = 800;
/** By user and pooled. */
const AGGREGATIONS = 2;
/**
 * What lists are worth: on policy, by shown lists and by requests, and by all arms plainly, divided by
 * the weights, and doubly robust.
 */
const VALUE_FORMS = 5;
/** Beside the values: of a tick, and of the list of ticks. */
const TICK_BYTES = 200;

/** What the past takes at most, with as many models as may be. */
export function historyBytes(config: Config): number {
  const { history, time } = config;
  const ticks =
    Math.min(history.keepMs / time.tickMs, DENSE_TICKS + history.keepMs / COARSE_MS) + 2;
  const series = seriesCount(config);
  return ticks * (TICK_BYTES + series * Float32Array.BYTES_PER_ELEMENT) + series * NAME_BYTES;
}

function seriesCount({ models, time, estimates, baseline }: Config): number {
  const all = models.max + (baseline === 'none' ? 0 : 1);
  const { metrics, ks, estimators } = estimates;
  const ofLists = metrics.filter((metric): metric is Metric => METRICS.includes(metric as Metric));
  // Each metric at the cut-offs that it has; value, lower, upper. Users and events of each.
  const ofRatings = (metrics.length - ofLists.length) * (ks.length + 1);
  const ofEstimator = AGGREGATIONS * (measures(ofLists, ks).length + ofRatings) * 3 + 2;
  // Differences in one form, and of values.
  const differences = ofEstimator - 2 + 3;
  const ofModel =
    time.windows.length * (estimators.length * ofEstimator + VALUE_FORMS * 3 + differences);
  // Concentration and fits, and the same of all models together; the topics' counts.
  return all * ofModel + (all + 1) * 8 + 20;
}
