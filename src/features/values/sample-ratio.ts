import { upperGamma } from '../../estimators/mathematics/distributions.js';

/** Least expected requests of each arm in a stratum; smaller strata are merged for the test. */
const LEAST_EXPECTED = 5;

/** Test for sample ratio mismatch: whether arms were served as often as declared. */
export interface SampleRatioTest {
  readonly chiSquare: number;
  readonly freedom: number;
  /** p-value; 1 if nothing can be tested. */
  readonly p: number;
}

/**
 * χ² test of served requests against declared shares.
 *
 * χ² = Σ_t Σ_a (Q_ta − Q_t s_ta)² / (Q_t s_ta) / D, with Q_ta the requests that arm a served in
 * stratum t, s_ta its share and D the design effect. Each stratum has one degree of freedom less
 * than it has arms with a share above 0. Strata that expect fewer than five requests of an arm are
 * merged. If an arm with a declared share of 0 was served, p = 0.
 *
 * **Source**: sample-ratio mismatch (Fabijan et al., KDD 2019); D by Rao & Scott 1981.
 *
 * @param served see `servedCounts`: `[stratum · arms + arm]` requests.
 * @param declared shares[stratum][arm]. @param designEffect 1 for randomisation by request.
 * @example
 * sampleRatioTest([60, 40], [[0.5, 0.5]]).chiSquare; // 4
 */
export function sampleRatioTest(
  served: ArrayLike<number>,
  declared: readonly ArrayLike<number>[],
  designEffect = 1,
): SampleRatioTest {
  const arms = declared[0]?.length ?? 0;
  const small = {
    observed: new Float64Array(arms),
    expected: new Float64Array(arms),
  };
  let chiSquare = 0;
  let freedom = 0;
  const test = (observed: Float64Array, expected: Float64Array) => {
    const [sum, own] = statistic(observed, expected);
    chiSquare += sum;
    freedom += own;
  };
  for (let t = 0; t < declared.length; t++) {
    const observed = Float64Array.from({ length: arms }, (_, a) => served[t * arms + a]);
    const requests = observed.reduce((sum, each) => sum + each, 0);
    const expected = Float64Array.from({ length: arms }, (_, a) => requests * declared[t][a]);
    if (expected.every((each) => each === 0 || each >= LEAST_EXPECTED)) {
      test(observed, expected);
    } else {
      for (let a = 0; a < arms; a++) {
        small.observed[a] += observed[a];
        small.expected[a] += expected[a];
      }
    }
  }
  test(small.observed, small.expected);
  chiSquare /= designEffect;
  const p = chiSquare === Number.POSITIVE_INFINITY ? 0 : upperGamma(freedom / 2, chiSquare / 2);
  return {
    chiSquare,
    freedom,
    p: freedom > 0 || p === 0 ? p : 1,
  };
}

function statistic(observed: Float64Array, expected: Float64Array): [number, number] {
  let sum = 0;
  let cells = 0;
  for (const [a, own] of expected.entries()) {
    if (own === 0 && observed[a] > 0) return [Number.POSITIVE_INFINITY, 0];
    if (own === 0) continue;
    sum += (observed[a] - own) ** 2 / own;
    cells++;
  }
  return [sum, Math.max(0, cells - 1)];
}
