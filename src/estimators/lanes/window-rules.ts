import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { type DrawMargins, drawMargins } from '../interventions/draw-margins.js';
import { inclusionProbability } from '../interventions/expected-inclusion.js';
import { type Chances, intervened } from '../interventions/intervened.js';
import { interventionSummary } from '../interventions/intervention-summary.js';
import {
  type PreparedIntervention,
  type PreparedInterventions,
  prepareInterventions,
} from '../interventions/interventions.js';
import type { EstimateOptions } from '../options.js';
import { oneForAll } from '../partitions/one-for-all.js';
import type { Rounds } from '../partitions/rounds.js';
import type { InterventionSummary } from '../results/window-estimates.js';
import { estimatorOf, isIntervention } from '../rules/registry.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from './scale.js';

export interface WindowRules {
  readonly rules: WeightingRule[];
  /** The interventions among them, and what each makes of the rows. */
  readonly prepared: readonly PreparedIntervention[];
  /** What they make of the rows: one round. */
  readonly interventions: (rounds: Rounds) => Generator<void, InterventionSummary[]>;
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
  rounds: Rounds,
): Generator<void, WindowRules> {
  const names = options.estimators.filter(isIntervention);
  let interventions: WindowRules['interventions'] = none;
  const drawing = new Map<string, WeightingRule>();
  let prepared: readonly PreparedIntervention[] = [];
  if (names.length > 0) {
    const solved = yield* prepareInterventions(names, parts, counts, options, sliceRows, rounds);
    prepared = solved.prepared;
    const drawn = isUnsummarised
      ? null
      : yield* drawMargins(solved, parts, counts, sliceRows, rounds);
    for (const [n, own] of prepared.entries()) {
      const chances = drawn?.chances[n] ?? (yield* rowChances(own, parts, sliceRows));
      drawing.set(own.name, intervened(chances));
    }
    if (drawn !== null) {
      const summaries = () => summariesOf(solved, drawn.margins(), counts, options);
      interventions = (own) => oneForAll(parts, summaries, own);
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

// biome-ignore lint/correctness/useYield: there is nothing to say.
function* none(): Generator<void, InterventionSummary[]> {
  return [];
}

function* summariesOf(
  { prepared, rows }: PreparedInterventions,
  margins: readonly DrawMargins[],
  counts: ItemTotals,
  options: EstimateOptions,
): Generator<void, InterventionSummary[]> {
  const summaries: InterventionSummary[] = [];
  for (const [n, own] of prepared.entries()) {
    summaries.push(yield* interventionSummary(own, margins[n], rows, counts, options));
  }
  return summaries;
}

/**
 * The chance of every row of a window, π = 1 − e^(−w τ), where nobody asks for the margins of the draw
 * (see `drawMargins`). O(rows) where the user's side counts; yields between slices.
 */
function* rowChances(
  { itemChance, sides, time }: PreparedIntervention,
  parts: readonly WindowPart[],
  sliceRows: number,
): Generator<void, Chances> {
  if (itemChance !== null) return itemChance;
  const { itemSide } = sides;
  const byRow = new Map<WindowPart, Float64Array>();
  for (const part of parts) {
    const { users, userStart, item } = part;
    const side = sides.userSides!.get(part)!;
    const chances = new Float64Array(part.rows);
    byRow.set(part, chances);
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        chances[r] = inclusionProbability(side[s] * itemSide[item[r]], time);
      }
      if (userStart[s + 1] < yieldAt) continue;
      yieldAt = userStart[s + 1] + sliceRows;
      yield;
    }
  }
  return byRow;
}
