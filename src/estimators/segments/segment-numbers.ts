import type { Lane } from '../lanes/lane.js';
import type { LaneContext } from '../lanes/lane-job.js';
import { AGGREGATIONS } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { SegmentDifferences, SegmentNumbers } from '../results/segment-report.js';
import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import { binomialFactor, logitInterval } from '../uncertainty/interval.js';
import { kornGraubard } from '../uncertainty/korn-graubard.js';
import { jackknifeFactor } from '../uncertainty/moments.js';
import type { PlaceGains, PlaceWeights } from './segment-sums.js';

interface Sums {
  readonly weights: PlaceWeights;
  readonly gains: PlaceGains;
}

/**
 * Compute the estimates of a lane by segment, under the weights of the whole window.
 *
 * R_s = B_s / W_s, ω_s = W_s / W and R = Σ_s ω_s R_s within each dimension, with B_s the weighted
 * gain and W_s the weight of segment s. Weights are not recomputed per segment, so that segments
 * sum to the total. In the user form, B_s and W_s sum each user's part in the segment, divided by
 * the user's *total* weight: plain means over the users of each segment would not sum to the total.
 * Variance of R_s by the delete-one-user jackknife of the ratio, as for the total (moments.ts).
 * Intervals as for the total (korn-graubard.ts, by effective users), without the error of γ. With
 * few users per segment they cover .81 to .90; `src/features/segments` shrinks them.
 * Source: own; segments are subdomains of a ratio estimator (Cochran 1977, section 6.5 and 5A.14).
 *
 * @param reference the lane of the reference model; undefined for that lane itself.
 * @returns an empty list if no metric of the lane is a mean of gains, or no row has weight.
 */
export function segmentNumbers(
  lane: Lane,
  reference: Lane | undefined,
  { models, options, factorOf }: LaneContext,
): SegmentNumbers[] {
  const { segments } = lane;
  const axes = options.segments;
  if (segments === null || axes === undefined) return [];
  const numbers: SegmentNumbers[] = [];
  for (const [m, { metric, k, set }] of lane.metrics.entries()) {
    if (set !== null) continue;
    for (const [e, estimator] of options.estimators.entries()) {
      for (const form of [0, 1] as const) {
        const own = {
          weights: segments.weights[2 * e + form],
          gains: segments.gainsOf(m, e, form),
        };
        const total = totalOf(axes.names[0]?.length ?? 0, own.weights.weight);
        if (!(total > 0)) continue;
        const other = reference?.segments;
        numbers.push({
          model: models[lane.model],
          metric,
          k,
          estimator,
          form: AGGREGATIONS[form],
          ...columnsOf(own, total, options, factorOf),
          ...(other && {
            difference: {
              reference: models[reference!.model],
              ...differences(own, {
                weights: other.weights[2 * e + form],
                gains: other.gainsOf(m, e, form),
              }),
            },
          }),
        });
      }
    }
  }
  return numbers;
}

/**
 * Total weight W, summed over the values of the first dimension; each dimension has the same total.
 */
function totalOf(places: number, weight: Float64Array): number {
  let total = 0;
  for (let at = 0; at < places; at++) {
    total += weight[at];
  }
  return total;
}

function columnsOf(
  own: Sums,
  total: number,
  { interval }: EstimateOptions,
  factorOf: (ess: number) => number,
): Omit<SegmentNumbers, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  const { weight, squares, users } = own.weights;
  const columns = {
    value: [] as number[],
    stdErr: [] as number[],
    lower: [] as number[],
    upper: [] as number[],
    share: [] as number[],
    contribution: [] as number[],
    users: [] as number[],
    ess: [] as number[],
  };
  for (let at = 0; at < weight.length; at++) {
    const value = own.gains.gain[at] / weight[at];
    const ess = effectiveSampleSize(weight[at], squares[at]);
    const stdErr = Math.sqrt(variance(own, at));
    const found = {
      value,
      stdErr,
      ess,
    };
    const [lower, upper] = intervalOf(own, at, found, { interval, factorOf });
    columns.value.push(value);
    columns.stdErr.push(stdErr);
    columns.lower.push(lower);
    columns.upper.push(upper);
    columns.share.push(weight[at] / total);
    columns.contribution.push(own.gains.gain[at] / total);
    columns.users.push(users[at]);
    columns.ess.push(ess);
  }
  return columns;
}

/** Variance of R_s at segment value `at`; NaN if the spread between users is unknown. */
function variance({ weights, gains }: Sums, at: number): number {
  const { weight, squares, users } = weights;
  const ratio = gains.gain[at] / weight[at];
  const left = gains.squares[at] - 2 * ratio * gains.weighted[at] + ratio * ratio * squares[at];
  const spread = left > 1e-12 * gains.squares[at] ? left / weight[at] ** 2 : 0;
  return spread * jackknifeFactor(users[at], effectiveSampleSize(weight[at], squares[at]));
}

function intervalOf(
  { weights, gains }: Sums,
  at: number,
  {
    value,
    stdErr,
    ess,
  }: {
    value: number;
    stdErr: number;
    ess: number;
  },
  by: Pick<EstimateOptions, 'interval'> & Pick<LaneContext, 'factorOf'>,
): [number, number] {
  const { interval: method, factorOf } = by;
  if (!(weights.weight[at] > 0)) return [Number.NaN, Number.NaN];
  if (method !== 'korn-graubard' || value > 1) return logitInterval(value, stdErr, factorOf(ess));
  const left = weights.squares[at] - 2 * gains.weighted[at] + gains.squares[at];
  const mean = {
    value,
    stdErr,
    gammaStdErr: 0,
    userEss: ess,
    rowEss: effectiveSampleSize(weights.weight[at], weights.rowSquares[at]),
    hits: effectiveSampleSize(gains.gain[at], gains.squares[at]),
    misses: effectiveSampleSize(weights.weight[at] - gains.gain[at], left),
    squaredGain: 1,
    isConstant: false,
    isCertain: false,
  };
  return kornGraubard(mean, binomialFactor(ess, factorOf));
}

/**
 * Differences R_s − R′_s to the reference model by segment, with their standard errors over the
 * users of both: Var R_s + Var R′_s − 2 Σ_u ψ_u ψ′_u with ψ_u = (N_us − R_s D_us) / W_s, and the
 * same jackknife factor as in the variances.
 */
function differences(own: Sums, other: Sums): Omit<SegmentDifferences, 'reference'> {
  const value: number[] = [];
  const stdErr: number[] = [];
  const { weight, squares, users, paired } = own.weights;
  for (let at = 0; at < weight.length; at++) {
    const w = weight[at];
    const v = other.weights.weight[at];
    const r = own.gains.gain[at] / w;
    const s = other.gains.gain[at] / v;
    const { paired: gains, ownPaired, otherPaired } = own.gains;
    const product = gains[at] - s * ownPaired[at] - r * otherPaired[at] + r * s * paired[at];
    const factor = Math.sqrt(
      jackknifeFactor(users[at], effectiveSampleSize(w, squares[at])) *
        jackknifeFactor(other.weights.users[at], effectiveSampleSize(v, other.weights.squares[at])),
    );
    const apart = variance(own, at) + variance(other, at);
    const found = apart - (2 * factor * product) / (w * v);
    value.push(r - s);
    // For two models with equal gains, what remains of the variance is rounding error.
    stdErr.push(Math.sqrt(found <= 1e-12 * apart ? 0 : found));
  }
  return { value, stdErr };
}
