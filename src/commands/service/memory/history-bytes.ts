import type { Config } from '../../../config.js';
import { COARSE_MS, DENSE_TICKS } from '../../../history/history.js';

/** The names of a series, as keys and apart. */
const NAME_BYTES = 600;
/** By user and pooled. */
const AGGREGATIONS = 2;
/** What lists are worth: on policy, and by all arms plainly, divided by the weights, and doubly robust. */
const VALUE_FORMS = 4;
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
  // Each metric at each cut-off and without one; value, lower, upper. Users and events of each.
  const ofEstimator = AGGREGATIONS * metrics.length * (ks.length + 1) * 3 + 2;
  const ofModel = time.windows.length * (estimators.length * ofEstimator + VALUE_FORMS * 3);
  // Concentration and fits, and the same of all models together; the topics' counts.
  return all * ofModel + (all + 1) * 8 + 20;
}
