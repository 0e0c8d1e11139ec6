import { NO_REASONS } from '../../rows/reading.js';
import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { EstimateDifference } from '../results/estimate.js';
import { type BootstrapReplicates, replicateStdErr } from '../uncertainty/poisson-bootstrap.js';
import type { Lane } from './lane.js';
import { differenceInterval } from './lane-intervals.js';
import { LaneNumber, numbersOf } from './lane-number.js';
import type { LaneStudy } from './lane-observers.js';

/**
 * The differences of a lane's estimates to those of the reference model; none for its own lane.
 *
 * R − R′ with the 95 % interval R − R′ ± t √(stdErr² + (∂(R − R′)/∂γ · se γ)²), t at the lesser
 * effective sample size of the two, less one, within [−1, 1]; see `differenceInterval` for where
 * another interval is taken.
 */
export function laneDifferences(
  lane: Lane,
  names: { readonly model: string; readonly reference: string },
  study: LaneStudy,
  referenceStudy: LaneStudy | undefined,
  options: EstimateOptions,
  factorOf: (ess: number) => number,
): EstimateDifference[] {
  if (study.paired === null) return [];
  const { reference, sums } = study.paired;
  const differences: EstimateDifference[] = [];
  for (const [own, m, e, a] of numbersOf(lane)) {
    const other = new LaneNumber(reference, m, e, a);
    if (!other.isGiven) continue;
    const paired = sums.at(own.slot);
    const users = paired.users(own.users, other.users);
    const ess = Math.min(own.ess, other.ess);
    const sampling =
      study.replicates === null
        ? paired.stdErr(users, ess)
        : pairedStdErr(study.replicates, referenceStudy!.replicates!, own.slot);
    const stdErr = own.isConstant && other.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(own.gammaSlope - other.gammaSlope) * options.gammaStdErr;
    const value = own.value - other.value;
    const errors = { stdErr, gammaStdErr, correlation: () => paired.correlation };
    const [lower, upper] = differenceInterval(own, other, errors, options.interval, factorOf);
    const { metric, k } = lane.metrics[m];
    const estimator = options.estimators[e];
    differences.push({
      family: 'estimates',
      model: names.model,
      reference: names.reference,
      metric,
      k,
      estimator,
      form: AGGREGATIONS[a],
      value,
      stdErr,
      lower,
      upper,
      ess,
      counts: { users },
      status: 'given',
      reasons: NO_REASONS,
      more: { gammaStdErr },
    });
  }
  return differences;
}

/** Both models' replicates draw the same users, so that their differences are paired. */
function pairedStdErr(own: BootstrapReplicates, other: BootstrapReplicates, slot: number): number {
  const others = other.ratios(slot);
  return replicateStdErr(own.ratios(slot).map((ratio, b) => ratio - others[b]));
}
