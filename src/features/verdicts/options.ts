import { gainNamed } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import { DAY_MS, type DecisionOptions, lookEvery } from './decision-options.js';

/** Undefined where no verdicts are asked for. */
export function decisionOptions(config: Config): DecisionOptions | undefined {
  const metric = gainNamed(config.decision.metric);
  const lookMs = lookEvery(config.time.tickMs);
  if (metric === undefined || lookMs === undefined) return undefined;
  const { control } = config.comparisons;
  const { cold, smoothing, feedback } = config.estimates;
  const settings = JSON.stringify({
    ...{ gamma: config.gamma, fit: config.gammaFit, cold, smoothing, feedback },
    ...{ popularity: config.popularity, positive: config.positive, actions: config.events.actions },
    ...{ tickMs: config.time.tickMs, models: config.models.max },
  });
  const { margin } = config.decision;
  return {
    metric,
    margin,
    lookMs,
    dayMs: DAY_MS,
    settings,
    ...(control !== undefined && { control }),
  };
}
