import { drawMargins } from '../interventions/draw-margins.js';
import { inclusionProbability } from '../interventions/expected-inclusion.js';
import { type Chances, intervened } from '../interventions/intervened.js';
import { interventionSummary } from '../interventions/intervention-summary.js';
import { type PreparedIntervention, prepareInterventions } from '../interventions/interventions.js';
import type { InterventionName } from '../names.js';
import type { InterventionSummary } from '../results/window-estimates.js';
import { estimatorOf, isIntervention } from '../rules/registry.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import type { OrganicJob } from './lane-job.js';

export interface WindowRules {
  readonly rules: readonly WeightingRule[];
  /** The interventions among them, and what each makes of the rows. */
  readonly prepared: readonly PreparedIntervention[];
  /** None where nobody asks for them. */
  readonly interventions: readonly InterventionSummary[];
}

/** The rule of every estimator, in the order asked for; interventions are solved for on the way. */
export function* windowRules(job: OrganicJob, sliceRows: number): Generator<void, WindowRules> {
  const { options, scale } = job;
  const names = options.estimators.filter(isIntervention);
  const drawn = names.length === 0 ? NOTHING_DRAWN : yield* drawnRows(names, job, sliceRows);
  const rules: WeightingRule[] = [];
  for (const name of options.estimators) {
    if (isIntervention(name)) {
      rules.push(intervened(drawn.chances[names.indexOf(name)]));
    } else {
      rules.push(estimatorOf(name).rule({ scale, options }));
    }
    yield;
  }
  return {
    rules,
    prepared: drawn.prepared,
    interventions: drawn.interventions,
  };
}

/** How interventions draw the rows of a window. */
interface DrawnRows extends Omit<WindowRules, 'rules'> {
  /** By intervention. */
  readonly chances: readonly Chances[];
}

const NOTHING_DRAWN: DrawnRows = {
  prepared: [],
  chances: [],
  interventions: [],
};

function* drawnRows(
  names: readonly InterventionName[],
  job: OrganicJob,
  sliceRows: number,
): Generator<void, DrawnRows> {
  const { prepared, rows } = yield* prepareInterventions(names, job, sliceRows);
  const chances: Chances[] = [];
  const interventions: InterventionSummary[] = [];
  for (const own of prepared) {
    if (job.isUnsummarised) {
      chances.push(yield* chancesOf(own, job, sliceRows));
      continue;
    }
    const drawn = yield* drawMargins(own, rows, job, sliceRows);
    chances.push(drawn.chances);
    interventions.push(yield* interventionSummary(own, drawn.margins, rows, job));
  }
  return {
    prepared,
    chances,
    interventions,
  };
}

/**
 * The chance of every row of a window, π = 1 − e^(−w τ), where nobody asks for the margins of the draw
 * (see `drawMargins`). O(rows) where the user's side counts; yields between slices.
 */
function* chancesOf(
  { itemChance, sides, time }: PreparedIntervention,
  { part }: OrganicJob,
  sliceRows: number,
): Generator<void, Chances> {
  if (itemChance !== null) {
    return {
      of: 'item',
      values: itemChance,
    };
  }
  const { users, userStart, item, rows } = part;
  const { userSide, itemSide } = sides;
  const values = new Float64Array(rows);
  let yieldAt = sliceRows;
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      values[r] = inclusionProbability(userSide![s] * itemSide[item[r]], time);
    }
    if (userStart[s + 1] < yieldAt) continue;
    yieldAt = userStart[s + 1] + sliceRows;
    yield;
  }
  return {
    of: 'row',
    values,
  };
}
