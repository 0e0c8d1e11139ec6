import { SET_METRICS } from '../../gains/set-measure.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { drawMargins } from '../interventions/draw-margins.js';
import { intervened } from '../interventions/intervened.js';
import { interventionSummary } from '../interventions/intervention-summary.js';
import { type PreparedIntervention, prepareIntervention } from '../interventions/interventions.js';
import type { AbsoluteScale } from '../known/absolute-scale.js';
import { type EstimatorName, INTERVENTIONS, type InterventionName, type Metric } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../registry/weighting-rule.js';
import type { InterventionSummary } from '../results/intervention-summary.js';
import type { Refusal } from '../results/refusal.js';
import { gs } from '../rules/gs.js';
import { ips } from '../rules/ips.js';
import { naive } from '../rules/naive.js';
import { snips } from '../rules/snips.js';

/** Estimators that rest on randomised traffic, and what they miss without it. */
const NEEDS_RANDOMIZED: ReadonlyMap<EstimatorName, string> = new Map([
  ['wtd', 'needs randomised traffic for its targets, and the popularity horizon holds none'],
  ['ure', 'needs positive interactions from randomised traffic, and the window holds none'],
]);

/** Splits the estimators asked for into those that this window can give, and the others. */
export function possibleEstimators(
  asked: readonly EstimatorName[],
  randomized: { readonly interactions: number; readonly positives: number },
): { estimators: EstimatorName[]; refusals: Refusal[] } {
  const has = (name: EstimatorName) =>
    name === 'ure' ? randomized.positives > 0 : randomized.interactions > 0;
  const isRefused = (name: EstimatorName) => NEEDS_RANDOMIZED.has(name) && !has(name);
  return {
    estimators: asked.filter((name) => !isRefused(name)),
    refusals: asked
      .filter(isRefused)
      .map((estimator) => ({ estimator, reason: NEEDS_RANDOMIZED.get(estimator)! })),
  };
}

const IPS_WITHOUT_SCALE: Refusal = {
  estimator: 'ips',
  reason:
    'needs absolute propensities: none are logged, no randomised traffic or list of the window tells them, and no item has a count',
};
const IPS_BY_USER: Refusal = {
  estimator: 'ips',
  aggregation: 'user',
  reason:
    'divides by the number of items that are relevant to a user, which implicit feedback does not tell; with the estimate Σ 1/P of it, it is snips',
};

const NOT_ADDITIVE =
  'has weights for single rows, which make no set of items that could be measured; naive and the interventions have sets';

/** Set metrics under estimators that have no sets. */
export function setRefusals(
  metrics: readonly Metric[],
  estimators: readonly EstimatorName[],
): Refusal[] {
  const without = estimators.filter((name) => name !== 'naive' && !isIntervention(name));
  return SET_METRICS.filter((metric) => metrics.includes(metric)).flatMap((metric) =>
    without.map((estimator) => ({ estimator, metric, reason: NOT_ADDITIVE })),
  );
}

/** What ips cannot give, with a scale or without. */
export function ipsRefusals(scale: AbsoluteScale | null): Refusal[] {
  return [scale === null ? IPS_WITHOUT_SCALE : IPS_BY_USER];
}

export interface WindowRules {
  readonly rules: WeightingRule[];
  /** The interventions among them, and what each makes of the rows. */
  readonly prepared: PreparedIntervention[];
  readonly interventions: InterventionSummary[];
}

/**
 * The rule of every estimator of organic rows, in the order asked for; interventions are solved for
 * on the way.
 *
 * @param scale of ips; not null where that is asked for.
 */
export function* windowRules(
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: EstimateOptions,
  scale: AbsoluteScale | null,
  sliceRows: number,
): Generator<void, WindowRules> {
  const rules: WeightingRule[] = [];
  const interventions: InterventionSummary[] = [];
  const preparations: PreparedIntervention[] = [];
  const { catalogueSize } = options;
  for (const name of options.estimators) {
    if (name === 'naive') rules.push(naive());
    else if (name === 'snips') rules.push(snips());
    else if (name === 'ips') rules.push(ips(scale!, catalogueSize));
    else if (name === 'gs') rules.push(gs(options.strata));
    else if (isIntervention(name)) {
      const prepared = yield* prepareIntervention(name, parts, counts, options, sliceRows);
      const margins = yield* drawMargins(prepared, parts, counts.items, sliceRows);
      rules.push(intervened(name, margins.chances));
      preparations.push(prepared);
      interventions.push(
        yield* interventionSummary(prepared, margins, parts, counts, catalogueSize),
      );
    }
    yield;
  }
  return { rules, prepared: preparations, interventions };
}

export function isIntervention(name: EstimatorName): name is InterventionName {
  return INTERVENTIONS.includes(name as InterventionName);
}
