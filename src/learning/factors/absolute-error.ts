import type { FactorFit, FactorOptions } from './factor-options.js';
import type { Factors } from './factors.js';
import { objective, type Problem, residualsOf } from './objective.js';
import { Sweeps } from './sweeps.js';

/** Sweeps for the squared error that give the first residuals. */
const FIRST_SWEEPS = 30;
const ROUNDS = 30;
const SWEEPS_A_ROUND = 5;
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
export function absoluteErrorFit(
  problem: Problem,
  start: () => Factors,
  { tolerance, onSweep }: Pick<FactorOptions, 'tolerance' | 'onSweep'>,
): FactorFit {
  const { ratings, weight } = problem;
  const sweeps = new Sweeps(problem);
  let done = 0;
  const sweep = (factors: Factors, by: Float64Array) => {
    sweeps.run(factors, by);
    done++;
    onSweep?.(done, FIRST_SWEEPS + ROUNDS * SWEEPS_A_ROUND);
  };
  const squared = start();
  for (let n = 0; n < FIRST_SWEEPS; n++) sweep(squared, weight);
  let errors = residualsOf(squared, ratings);
  const factors = start();
  let value = Number.POSITIVE_INFINITY;
  let isConverged = false;
  for (let round = 0; round < ROUNDS && !isConverged; round++) {
    const by = weight.map((w, r) => w / (2 * Math.max(Math.abs(errors[r]), LEAST_ERROR)));
    for (let n = 0; n < SWEEPS_A_ROUND; n++) sweep(factors, by);
    errors = residualsOf(factors, ratings);
    const next = objective(factors, problem, 'absolute');
    isConverged = Math.abs(value - next) <= tolerance * next;
    value = next;
  }
  return { factors, objective: value, sweeps: done, isConverged };
}
