import { gainNamed, NO_METRIC } from '../../config/named-metrics.js';
import type { Config } from '../../config.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { BudgetLine } from '../resources.js';
import { DAY_MS, type DecisionOptions, lookEvery } from './decision-options.js';
import { MOST_TEST_USERS } from './live-users.js';

/**
 * Memory per model, bytes: 76 KiB of sums, 21 marks of half that size, and the text of both in a
 * checkpoint.
 */
const MODEL_BYTES = 3.5 * 1024 * 1024;

/** Memory per user of a live A/B test, with its text in a checkpoint, bytes. */
export const TEST_USER_BYTES = 210;

/** Memory of the live A/B test by user. */
export function testMemory({ decision }: Config): BudgetLine {
  return {
    what: 'users of an A/B test, with their text in a checkpoint',
    bytes: decision.metric === NO_METRIC ? 0 : MOST_TEST_USERS * TEST_USER_BYTES,
    keys: ['decision.metric'],
    atBound: 'later users are left out of the test, and a finding says so',
  };
}

export function verdictMemory({ decision, models }: Config): BudgetLine {
  return {
    what: 'sums behind verdicts, with their text in a checkpoint',
    bytes: decision.metric === NO_METRIC ? 0 : models.max * MODEL_BYTES,
    keys: ['decision.metric', 'models.max'],
    atBound: 'with more than four start times of models, the closest ones are merged',
  };
}

export function marginOf({ decision: { margin } }: Config): { readonly margin: number } {
  return { margin };
}

export function judgedBy({ decision }: Config): string {
  return decision.metric;
}

/** Options of verdicts; empty if they are switched off. */
export function decisionOptions(config: Config): Pick<FeatureOptions, 'decision'> {
  const metric = gainNamed(config.decision.metric);
  const lookMs = lookEvery(config.time.tickMs);
  if (metric === undefined || lookMs === undefined) return {};
  const { control } = config.comparisons;
  const { cold, smoothing, feedback } = config.estimates;
  const settings = JSON.stringify({
    gamma: config.gamma,
    fit: config.gammaFit,
    cold,
    smoothing,
    feedback,
    popularity: config.popularity,
    positive: config.positive,
    actions: config.events.actions,
    tickMs: config.time.tickMs,
    models: config.models.max,
  });
  const { margin } = config.decision;
  const decision: DecisionOptions = {
    metric,
    margin,
    lookMs,
    dayMs: DAY_MS,
    settings,
    ...(control !== undefined && { control }),
  };
  return { decision };
}
