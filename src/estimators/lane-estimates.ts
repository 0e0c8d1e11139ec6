import { effectiveSampleSize } from './effective-sample-size.js';
import type { Aggregation, EffectiveSampleSize, Estimate, EstimatorName } from './estimate.js';
import { intervalFactor, logitInterval } from './interval.js';
import type { Lane, LaneMetric } from './lane.js';
import type { RatioMoments } from './moments.js';

/** The estimates of a lane, by metric, estimator and aggregation; none where no user has weight. */
export function laneEstimates(
  lane: Lane,
  model: string,
  estimators: readonly EstimatorName[],
): Estimate[] {
  // All metrics of a lane share their denominators, and so the factor, which is dear.
  const factors = new Map<number, number>();
  const factorOf = (ess: number) => {
    const known = factors.get(ess) ?? intervalFactor(ess);
    factors.set(ess, known);
    return known;
  };
  return lane.metrics.flatMap((metric) =>
    estimators.flatMap((estimator, e) => {
      const { users, pooledUsers } = lane.weights[e];
      const { metric: name, k } = metric;
      const common = { model, metric: name, k, estimator, events: lane.events };
      return [
        ...estimateOf(metric, metric.user[e], factorOf, { ...common, aggregation: 'user', users }),
        ...estimateOf(metric, metric.pooled[e], factorOf, {
          ...common,
          aggregation: 'pooled',
          users: pooledUsers,
        }),
      ];
    }),
  );
}

function estimateOf(
  metric: LaneMetric,
  moments: RatioMoments,
  factorOf: (ess: number) => number,
  head: Pick<Estimate, 'model' | 'metric' | 'k' | 'estimator' | 'events' | 'users'> & {
    aggregation: Aggregation;
  },
): Estimate[] {
  const { numerator, denominator } = moments;
  if (!(denominator > 0)) return [];
  // A weighted mean of gains cannot leave their range but by rounding.
  const value = Math.min(metric.most, Math.max(metric.least, moments.ratio));
  // A gain that does not vary has no error, not even with a single user.
  const stdErr = metric.least === metric.most ? 0 : moments.stdErr(head.users);
  const ess = effectiveSampleSize(denominator, moments.squaredDenominator);
  const [lower, upper] = logitInterval(value, stdErr, factorOf(ess));
  return [{ ...head, value, stdErr, lower, upper, ess, numerator, denominator }];
}

/** Kish sizes of a lane's pooled weights, by event and by user. */
export function laneSampleSizes(
  lane: Lane,
  model: string,
  estimators: readonly EstimatorName[],
): EffectiveSampleSize[] {
  return estimators.flatMap((estimator, e) => {
    const { denominator, squaredDenominator } = lane.metrics[0].pooled[e];
    if (!(denominator > 0)) return [];
    const { squaredWeights, largestWeight } = lane.weights[e];
    return [
      {
        model,
        estimator,
        events: effectiveSampleSize(denominator, squaredWeights),
        users: effectiveSampleSize(denominator, squaredDenominator),
        largestShare: largestWeight / denominator,
      },
    ];
  });
}
