import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import type { ArmSums } from './arms/arm-sums.js';
import { CellMeans, clusterFactor } from './arms/cell-means.js';
import { valueDifference } from './value-difference.js';
import type { ValueEstimate } from './value-estimate.js';
import { zScore } from './z-score.js';

/**
 * Test whether a model's lists depend on which arm is served: z of mean(C − T), clustered.
 *
 * T is the sum of θ over the model's list, as far as some arm can show its items. C estimates T
 * from the served list alone, by inverse probability; see `weighArms`. Given the lists, E C = T. A
 * large |z| shows that lists depend on the arm, or that shares are wrong.
 *
 * @returns 0 if C always equals T.
 */
export function balanceZ(sums: ArmSums, m: number, isEmpirical: boolean): number {
  const first = m * sums.cells;
  const column = Float64Array.from(
    { length: sums.cells },
    (_, cell) => sums.control[first + cell] - sums.target[first + cell],
  );
  const means = new CellMeans(sums, column, sums.listedRequests);
  const mean = means.total / means.requests;
  const byCluster = means.influences(isEmpirical);
  return zScore(mean, Math.sqrt(byCluster.reduce((sum, each) => sum + each * each, 0)));
}

/**
 * z of the difference between two values of an arm: from the requests of all arms, and from its own
 * requests.
 */
export function armZ(mixed: ValueEstimate, own: ValueEstimate, covariance?: SquareMatrix): number {
  const { value, stdErr } = valueDifference(mixed, own, covariance);
  return zScore(value, stdErr);
}

/**
 * Pairs of clicks in a request, observed and expected if positions were clicked independently.
 *
 * Σ_q n_q (n_q − 1) / 2 against Σ_a Q_a Σ_{k<l} r_ak r_al, r_ak the click rate of rank k in arm a's
 * requests. Heterogeneous users have more pairs; users who stop after a click have fewer.
 */
export function clickPairs(sums: ArmSums): {
  observed: number;
  expected: number;
} {
  const { arms, clusters, ranks } = sums.shape;
  const requests = new Float64Array(arms);
  let observed = 0;
  for (let cell = 0; cell < sums.cells; cell++) {
    requests[Math.floor(cell / clusters) % arms] += sums.requests[cell];
    observed += sums.clickPairs[cell];
  }
  let expected = 0;
  for (let a = 0; a < arms; a++) {
    let before = 0;
    for (let k = 0; k < ranks && requests[a] > 0; k++) {
      const clicks = sums.clicksByRank[a * ranks + k];
      expected += (before * clicks) / requests[a];
      before += clicks;
    }
  }
  return { observed, expected };
}

/**
 * Design effect: how much more the arms' requests vary between clusters than with randomisation by
 * request.
 *
 * Mean over arms a of U / (U − 1) Σ_u d_u² / Σ_t Q_ta (1 − Q_ta / Q_t), d_u = Σ_t (Q_tau − Q_tu
 * Q_ta / Q_t); at least 1. Q_tau is the number of requests in stratum t that arm a served to
 * cluster u, and Q_ta, Q_tu and Q_t are its sums.
 */
export function designEffect(sums: ArmSums): number {
  const { strata, arms, clusters } = sums.shape;
  const requestsOf = new Float64Array(clusters);
  for (let cell = 0; cell < sums.cells; cell++) {
    requestsOf[cell % clusters] += sums.requests[cell];
  }
  const factor = clusterFactor(requestsOf);
  let effects = 0;
  let tested = 0;
  for (let a = 0; a < arms; a++) {
    const residual = new Float64Array(clusters);
    let variance = 0;
    for (let t = 0; t < strata; t++) {
      variance += addResiduals(sums, t, a, residual);
    }
    if (variance === 0) continue;
    effects += (factor * residual.reduce((sum, each) => sum + each * each, 0)) / variance;
    tested++;
  }
  return Math.max(1, effects / tested || 1);
}

/**
 * Add what a stratum t contributes to d_u of an arm: for each cluster u, its requests served by the
 * arm minus their expected number.
 * @returns the variance of the arm's number of requests in the stratum under randomisation by
 * request.
 */
function addResiduals(sums: ArmSums, t: number, arm: number, residual: Float64Array): number {
  const { arms, clusters } = sums.shape;
  const requestsOf = new Float64Array(clusters);
  let all = 0;
  let own = 0;
  for (let cell = t * arms * clusters; cell < (t + 1) * arms * clusters; cell++) {
    requestsOf[cell % clusters] += sums.requests[cell];
    all += sums.requests[cell];
    if (Math.floor(cell / clusters) % arms === arm) {
      own += sums.requests[cell];
    }
  }
  if (all === 0) return 0;
  const first = (t * arms + arm) * clusters;
  for (let u = 0; u < clusters; u++) {
    residual[u] += sums.requests[first + u] - (requestsOf[u] * own) / all;
  }
  return own * (1 - own / all);
}
