import { upperGamma } from '../../estimators/mathematics/distributions.js';
import { clusterFactor } from './arms/cell-means.js';
import { type OwnShareSums, SHARE_BANDS } from './arms/own-shares.js';
import type { SampleRatioTest } from './sample-ratio.js';

/** Bands, and groups of users, are merged for the test if their expected variance is below this. */
const LEAST_VARIANCE = 5;

/**
 * Test the served arms against each request's own shares: a sample ratio test for shares that vary
 * by request.
 *
 * For each arm χ² = Σ_b (Σ_q (1{a} − s_qa))² / Σ_q s_qa (1 − s_qa) / D, with s_qa the stated share
 * of arm a at request q, 1{a} = 1 if a was served, and D the design effect. The outer sum is over
 * bands b of s_qa, a tenth wide, with one degree of freedom each; bands with a variance below 5 are
 * merged. Testing by band detects wrong shares even if the totals agree.
 *
 * With randomisation by request (D = 1) the same test over groups of users instead of bands detects
 * shares that are right on average but wrong for returning users. The test with the smallest p is
 * reported, with p multiplied by the number of tests. If a request was served an arm with share 0,
 * p = 0.
 *
 * **Source**: Hosmer & Lemeshow, Comm. Statist. A 9 (1980), with fixed bands and nothing fitted; D
 * by Rao & Scott 1981.
 *
 * @param designEffect undefined for randomisation by request; otherwise see `ownDesignEffect`.
 */
export function ownShareRatio(sums: OwnShareSums, designEffect?: number): SampleRatioTest {
  const { arms, clusters } = sums.shape;
  if (sums.impossible > 0) {
    return {
      chiSquare: Number.POSITIVE_INFINITY,
      freedom: 0,
      p: 0,
    };
  }
  // Two arms need only one test, since their shares sum to 1.
  const tested = [...new Array(arms === 2 ? 1 : arms).keys()];
  const bands = Float64Array.from(sums.observed, (each, at) => each - sums.expected[at]);
  const found = tested.map((a) =>
    test(ofArm(bands, a, SHARE_BANDS), ofArm(sums.variance, a, SHARE_BANDS), designEffect ?? 1),
  );
  if (designEffect === undefined) {
    found.push(
      ...tested.map((a) =>
        test(ofArm(sums.excess, a, clusters), ofArm(sums.spread, a, clusters), 1),
      ),
    );
  }
  const worst = found.reduce((one, other) => (other.p < one.p ? other : one));
  return {
    ...worst,
    p: Math.min(1, found.length * worst.p),
  };
}

/** Part of a column that belongs to one arm. @param size of the part. */
function ofArm(column: Float64Array, arm: number, size: number): Float64Array {
  return column.subarray(arm * size, (arm + 1) * size);
}

/**
 * χ² test of one arm from (1{a} − s) and its variance, each summed by band or by group of users.
 * Entries with a variance below 5 are merged.
 */
function test(excess: Float64Array, variance: Float64Array, designEffect: number): SampleRatioTest {
  let sum = 0;
  let freedom = 0;
  let pooledExcess = 0;
  let pooledVariance = 0;
  const add = (own: number, spread: number) => {
    if (!(spread > 0)) return;
    sum += own ** 2 / spread;
    freedom++;
  };
  for (let at = 0; at < excess.length; at++) {
    if (variance[at] >= LEAST_VARIANCE) {
      add(excess[at], variance[at]);
    } else {
      pooledExcess += excess[at];
      pooledVariance += variance[at];
    }
  }
  add(pooledExcess, pooledVariance);
  const chiSquare = sum / designEffect;
  return {
    chiSquare,
    freedom,
    p: freedom > 0 ? upperGamma(freedom / 2, chiSquare / 2) : 1,
  };
}

/**
 * Design effect if requests have their own shares: how much more the arms' requests vary between
 * the U groups of users than with randomisation by request.
 *
 * Mean over arms of U / (U − 1) Σ_u (Σ_{q∈u} (1{a} − s_qa))² / Σ_q s_qa (1 − s_qa); at least 1.
 */
export function ownDesignEffect({ shape, excess, possible, variance }: OwnShareSums): number {
  const { arms, clusters } = shape;
  let effects = 0;
  let tested = 0;
  for (let a = 0; a < arms; a++) {
    const spread = ofArm(variance, a, SHARE_BANDS).reduce((sum, each) => sum + each, 0);
    if (spread === 0) continue;
    const squares = ofArm(excess, a, clusters).reduce((sum, each) => sum + each * each, 0);
    effects += (clusterFactor(ofArm(possible, a, clusters)) * squares) / spread;
    tested++;
  }
  return Math.max(1, effects / tested || 1);
}
