import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { drawMargins } from '../interventions/draw-margins.js';
import { intervened } from '../interventions/intervened.js';
import { interventionSummary } from '../interventions/intervention-summary.js';
import { type PreparedIntervention, prepareInterventions } from '../interventions/interventions.js';
import { rowChances } from '../interventions/row-chances.js';
import type { EstimateOptions } from '../options.js';
import { ALONE } from '../partitions/rounds.js';
import type { InterventionSummary } from '../results/intervention-summary.js';
import { estimatorOf, isIntervention } from '../rules/registry.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from './scale.js';

export interface WindowRules {
  readonly rules: WeightingRule[];
  /** The interventions among them, and what each makes of the rows. */
  readonly prepared: readonly PreparedIntervention[];
  readonly interventions: InterventionSummary[];
}

/**
 * The rule of every estimator, in the order asked for; interventions are solved for on the way.
 *
 * @param scale not null if an estimator needs it.
 * @param isUnsummarised leaves out what interventions make of the rows.
 * @param rounds bring the sums of all partitions together.
 */
export function* windowRules(
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: EstimateOptions,
  scale: AbsoluteScale | null,
  sliceRows: number,
  isUnsummarised = false,
  rounds = ALONE,
): Generator<void, WindowRules> {
  const names = options.estimators.filter(isIntervention);
  const interventions: InterventionSummary[] = [];
  const drawing = new Map<string, WeightingRule>();
  let prepared: readonly PreparedIntervention[] = [];
  if (names.length > 0) {
    const solved = yield* prepareInterventions(names, parts, counts, options, sliceRows, rounds);
    prepared = solved.prepared;
    const margins = isUnsummarised
      ? null
      : yield* drawMargins(solved, parts, counts, sliceRows, rounds);
    for (const [n, own] of prepared.entries()) {
      const chances = margins?.[n].chances ?? (yield* rowChances(own, parts, sliceRows));
      drawing.set(own.name, intervened(chances));
      if (margins === null) continue;
      const summary = interventionSummary(own, margins[n], solved.rows, counts, options);
      interventions.push(yield* summary);
    }
  }
  const rules: WeightingRule[] = [];
  for (const name of options.estimators) {
    if (isIntervention(name)) rules.push(drawing.get(name)!);
    else rules.push(estimatorOf(name).rule({ scale, options }));
    yield;
  }
  return { rules, prepared, interventions };
}
