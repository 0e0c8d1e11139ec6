import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { drawMargins } from '../interventions/draw-margins.js';
import { intervened } from '../interventions/intervened.js';
import { interventionSummary } from '../interventions/intervention-summary.js';
import { type PreparedIntervention, prepareIntervention } from '../interventions/interventions.js';
import { rowChances } from '../interventions/row-chances.js';
import type { AbsoluteScale } from '../known/scale.js';
import type { EstimateOptions } from '../options.js';
import { estimatorOf, isIntervention } from '../registry/registry.js';
import type { WeightingRule } from '../registry/weighting-rule.js';
import type { InterventionSummary } from '../results/intervention-summary.js';

export interface WindowRules {
  readonly rules: WeightingRule[];
  /** The interventions among them, and what each makes of the rows. */
  readonly prepared: PreparedIntervention[];
  readonly interventions: InterventionSummary[];
}

/**
 * The rule of every estimator, in the order asked for; interventions are solved for on the way.
 *
 * @param scale not null if an estimator needs it.
 * @param isUnsummarised leaves out what interventions make of the rows.
 */
export function* windowRules(
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: EstimateOptions,
  scale: AbsoluteScale | null,
  sliceRows: number,
  isUnsummarised = false,
): Generator<void, WindowRules> {
  const rules: WeightingRule[] = [];
  const interventions: InterventionSummary[] = [];
  const preparations: PreparedIntervention[] = [];
  for (const name of options.estimators) {
    if (isIntervention(name)) {
      const prepared = yield* prepareIntervention(name, parts, counts, options, sliceRows);
      preparations.push(prepared);
      if (isUnsummarised) {
        rules.push(intervened(yield* rowChances(prepared, parts, sliceRows)));
        continue;
      }
      const margins = yield* drawMargins(prepared, parts, counts.items, sliceRows);
      rules.push(intervened(margins.chances));
      const { catalogueSize } = options;
      const summary = interventionSummary(prepared, margins, parts, counts, catalogueSize);
      interventions.push(yield* summary);
    } else {
      rules.push(estimatorOf(name).rule({ scale, options }));
    }
    yield;
  }
  return { rules, prepared: preparations, interventions };
}
