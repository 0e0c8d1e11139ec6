import type { InSteps } from '../steps.js';
import type { FactorFit } from './factor-options.js';
import type { Factors } from './factors.js';
import { objective, type Problem, residualsOf } from './objective.js';
import { Sweeps } from './sweeps.js';

/** Sweeps for the squared error that give the first residuals. */
const FIRST_SWEEPS = 30;
const ROUNDS = 30;
const SWEEPS_A_ROUND = 5;
/** The rounds have converged if the last one gains less, relative to the objective. */
const LAST_GAIN = 1e-4;
/** Errors below it weigh as it does; in units of the rating. */
const LEAST_ERROR = 0.01;

/**
 * The fit for the absolute error, by least squares reweighted in rounds: w / (2 max(|e|, 0.01)).
 *
 * e² / (2|e₀|) + |e₀| / 2 bounds |e| from above and meets it at e₀, so that a round does not raise the
 * objective, up to errors below 0.01. Source: Hunter & Lange 2004 (majorisation of the absolute
 * error). It starts again once the residuals are known, since the optimum of squares is a bad start.
 *
 * @param start makes the factors that a fit starts with, the same each time.
 */
export function* absoluteErrorFit(problem: Problem, start: () => Factors): InSteps<FactorFit> {
  const { ratings, weight } = problem;
  const sweeps = new Sweeps(problem);
  let done = 0;
  const swept = (factors: Factors, by: Float64Array) => {
    sweeps.run(factors, by);
    done++;
    return { done, most: FIRST_SWEEPS + ROUNDS * SWEEPS_A_ROUND };
  };
  const squared = start();
  for (let n = 0; n < FIRST_SWEEPS; n++) yield swept(squared, weight);
  let errors = residualsOf(squared, ratings);
  const factors = start();
  let value = Number.POSITIVE_INFINITY;
  let isConverged = false;
  for (let round = 0; round < ROUNDS; round++) {
    const by = weight.map((w, r) => w / (2 * Math.max(Math.abs(errors[r]), LEAST_ERROR)));
    for (let n = 0; n < SWEEPS_A_ROUND; n++) yield swept(factors, by);
    errors = residualsOf(factors, ratings);
    const next = objective(factors, problem, 'absolute');
    isConverged = Math.abs(value - next) <= LAST_GAIN * next;
    value = next;
  }
  return { factors, objective: value, sweeps: done, isConverged };
}
