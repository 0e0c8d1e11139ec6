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
  /** Prepared interventions among the rules. */
  readonly prepared: readonly PreparedIntervention[];
  /** Summaries of the interventions; empty if not needed. */
  readonly interventions: readonly InterventionSummary[];
}

/**
 * Create the weighting rule of every estimator, in the configured order; interventions are prepared
 * first.
 */
export function windowRules(job: OrganicJob): WindowRules {
  const { options, scale } = job;
  const names = options.estimators.filter(isIntervention);
  const drawn = names.length === 0 ? NOTHING_DRAWN : drawnRows(names, job);
  return {
    rules: options.estimators.map((name) =>
      isIntervention(name)
        ? intervened(drawn.chances[names.indexOf(name)])
        : estimatorOf(name).rule({ scale, options }),
    ),
    prepared: drawn.prepared,
    interventions: drawn.interventions,
  };
}

/** Interventions of a window with the inclusion probabilities of its rows. */
interface DrawnRows extends Omit<WindowRules, 'rules'> {
  /** Inclusion probabilities of the rows, by intervention. */
  readonly chances: readonly Chances[];
}

const NOTHING_DRAWN: DrawnRows = {
  prepared: [],
  chances: [],
  interventions: [],
};

function drawnRows(names: readonly InterventionName[], job: OrganicJob): DrawnRows {
  const { prepared, rows } = prepareInterventions(names, job);
  const chances: Chances[] = [];
  const interventions: InterventionSummary[] = [];
  for (const own of prepared) {
    if (job.isUnsummarised) {
      chances.push(chancesOf(own, job));
      continue;
    }
    const drawn = drawMargins(own, rows, job);
    chances.push(drawn.chances);
    interventions.push(interventionSummary(own, drawn.margins, rows, job));
  }
  return {
    prepared,
    chances,
    interventions,
  };
}

/**
 * Compute the inclusion probability of every row of a window, π = 1 − e^(−w τ), without the margins
 * of the draw (for those see `drawMargins`). O(rows) if weights depend on the user.
 */
function chancesOf(
  { itemChance, sides, time }: PreparedIntervention,
  { part }: OrganicJob,
): Chances {
  if (itemChance !== null) {
    return {
      of: 'item',
      values: itemChance,
    };
  }
  const { users, userStart, item, rows } = part;
  const { userSide, itemSide } = sides;
  const values = new Float64Array(rows);
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      values[r] = inclusionProbability(userSide![s] * itemSide[item[r]], time);
    }
  }
  return {
    of: 'row',
    values,
  };
}
