import { NO_REASONS } from '../../rows/reading.js';
import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { EstimateDifference } from '../results/estimate.js';
import { PairedDifferences, ReferenceSums } from '../uncertainty/paired-differences.js';
import {
  BootstrapReplicates,
  BootstrapWeights,
  replicateStdErr,
} from '../uncertainty/poisson-bootstrap.js';
import type { Lane } from './lane.js';
import type { LaneContext } from './lane-job.js';
import { differenceInterval, LaneNumber, numbersOf } from './lane-number.js';

/**
 * Differences between a lane's estimates R and those of the reference model, R′; none for the
 * reference itself.
 *
 * The 95 % interval is R − R′ ± t √(stdErr² + (∂(R − R′)/∂γ · se γ)²), within [−1, 1], with t at
 * the smaller of the two effective sample sizes minus one. `differenceInterval` lists the
 * exceptions.
 */
export function laneDifferences(
  lane: Lane,
  study: LaneStudy,
  referenceStudy: LaneStudy | undefined,
  by: LaneContext,
): EstimateDifference[] {
  if (study.paired === null) return [];
  const { models, options } = by;
  const { reference, sums } = study.paired;
  const differences: EstimateDifference[] = [];
  for (const own of numbersOf(lane)) {
    const { m, e, aggregation } = own;
    const other = new LaneNumber(reference, m, e, aggregation);
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
    const errors = {
      stdErr,
      gammaStdErr,
      correlation: () => paired.correlation,
    };
    const [lower, upper] = differenceInterval(own, other, errors, by);
    const { metric, k } = lane.metrics[m];
    const estimator = options.estimators[e];
    differences.push({
      family: 'estimates',
      model: models[lane.model],
      reference: models[by.reference],
      metric,
      k,
      estimator,
      form: AGGREGATIONS[aggregation],
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

/**
 * Standard error of a difference from bootstrap replicates, which are paired because those of both
 * models resample the same users.
 */
function pairedStdErr(own: BootstrapReplicates, other: BootstrapReplicates, slot: number): number {
  const others = other.ratios(slot);
  return replicateStdErr(own.ratios(slot).map((ratio, b) => ratio - others[b]));
}

/**
 * Sums that a lane collects in addition to its moments: bootstrap replicates, and paired
 * differences.
 */
export interface LaneStudy {
  /** Null unless standard errors come from the bootstrap. */
  readonly replicates: BootstrapReplicates | null;
  /**
   * Differences to the reference model's lane of the same family; null for that lane itself, or
   * without a reference.
   */
  readonly paired: {
    readonly reference: Lane;
    readonly sums: PairedDifferences;
  } | null;
}

/**
 * Attach to each lane the observers that the options need: sums for differences to the reference
 * model, and bootstrap replicates. The reference's lane must come before the others of its family.
 *
 * @param reference index of the reference model; −1 for none.
 */
export function studyLanes(
  lanes: readonly Lane[],
  reference: number,
  options: EstimateOptions,
): Map<Lane, LaneStudy> {
  const studies = new Map<Lane, LaneStudy>();
  const weights = options.interval === 'bootstrap' ? new BootstrapWeights() : null;
  // Weights are computed once per chunk, before any lane uses them.
  if (weights !== null) {
    lanes[0]?.observers.push(weights);
  }
  const references = new Map<
    string,
    {
      lane: Lane;
      sums: ReferenceSums;
    }
  >();
  for (const lane of lanes) {
    const moments = lane.moments();
    let replicates: BootstrapReplicates | null = null;
    if (weights !== null) {
      replicates = new BootstrapReplicates(weights, moments.length);
      lane.observers.push(replicates);
    }
    const known = references.get(lane.family);
    if (lane.model === reference) {
      const sums = new ReferenceSums(moments.length);
      references.set(lane.family, { lane, sums });
      lane.observers.push(sums);
    }
    let paired: LaneStudy['paired'] = null;
    if (known !== undefined) {
      const sums = new PairedDifferences(known.sums, moments, known.lane.moments());
      lane.observers.push(sums);
      paired = {
        reference: known.lane,
        sums,
      };
      if (lane.segments !== null) {
        lane.segments.reference = known.lane.segments;
      }
    }
    studies.set(lane, { replicates, paired });
  }
  return studies;
}
