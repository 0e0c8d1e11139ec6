import type { Contrast } from '../../estimators/evidence/per-user.js';

/** Sums of an arm by groups of users, and over all users. */
export interface GroupedArm {
  /** n, number of users by group. */
  readonly users: Float64Array;
  /** K, number of users with history, by group. */
  readonly known: Float64Array;
  /** Σx of users with history x, by group. */
  readonly x: Float64Array;
  /** Y, reward of all users, by group. */
  readonly reward: Float64Array;
  /** Σx² over all users with history x. */
  readonly xx: number;
  /** ΣxY over all users with history x, Y the reward. */
  readonly xReward: number;
  /** ΣY over all users with history, Y the reward. */
  readonly knownReward: number;
}

/**
 * Difference of two arms' rewards per user, from sums by groups g of users, adjusted for the users'
 * history x.
 *
 *   θ = Σ_a(ΣxY − X_a Y_K,a / K_a) / Σ_a(Σx² − X_a² / K_a),   R_ga = Y_ga − θ(X_ga − x̄ K_ga)
 *   ψ_g = (R_gb − m_b n_gb)/n_b − (R_ga − m_a n_ga)/n_a,   Wald² = G/(G−1) Σψ²
 *   Score² = s²(1/n_a + 1/n_b),   s² = Σ_g(R_g − r̄ n_g)² / U
 *
 * with n, K, x and Y of `GroupedArm`. x̄ is the mean of x over the users with history in both arms.
 * m_a is the mean of R per user in arm a, and r̄ the mean of R per user in both arms. G is the
 * number of groups and U the number of users. The result equals that of `perUser` if each user is a
 * group. O(groups).
 */
export function contrastOfGroups(
  control: GroupedArm,
  arm: GroupedArm,
): Contrast & { readonly slope: number } {
  const sides = [control, arm];
  let covariance = 0;
  let spread = 0;
  let x = 0;
  let known = 0;
  for (const side of sides) {
    const ofX = sum(side.x);
    const ofKnown = sum(side.known);
    if (ofKnown > 0) {
      covariance += side.xReward - (ofX * side.knownReward) / ofKnown;
      spread += side.xx - ofX ** 2 / ofKnown;
    }
    x += ofX;
    known += ofKnown;
  }
  const slope = spread > 1e-9 * (control.xx + arm.xx) ? covariance / spread : 0;
  const middle = known > 0 ? x / known : 0;
  const residual = sides.map((side) =>
    side.reward.map((own, g) => own - slope * (side.x[g] - middle * side.known[g])),
  );
  const users = sides.map((side) => sum(side.users));
  const means = sides.map((_, s) => sum(residual[s]) / users[s]);
  const both = users[0] + users[1];
  const common = (sum(residual[0]) + sum(residual[1])) / both;
  const rows: number[] = [];
  const variance = {
    own: 0,
    other: 0,
    both: 0,
  };
  let squares = 0;
  let fourths = 0;
  let residuals = 0;
  for (let g = 0; g < control.users.length; g++) {
    if (control.users[g] + arm.users[g] === 0) continue;
    const b = (residual[1][g] - means[1] * arm.users[g]) / users[1];
    const a = (residual[0][g] - means[0] * control.users[g]) / users[0];
    rows.push(b - a);
    squares += (b - a) ** 2;
    fourths += (b - a) ** 4;
    variance.own += b * b;
    variance.other += a * a;
    variance.both += a * b;
    const all = control.users[g] + arm.users[g];
    residuals += (residual[0][g] + residual[1][g] - common * all) ** 2;
  }
  const factor = rows.length / (rows.length - 1);
  return {
    slope,
    difference: means[1] - means[0],
    own: means[1],
    other: means[0],
    wald: Math.sqrt(factor * squares),
    score: Math.sqrt((residuals / both) * (1 / users[0] + 1 / users[1])),
    freedom: fourths > 0 ? squares ** 2 / fourths : Number.NaN,
    variance: {
      own: factor * variance.own,
      other: factor * variance.other,
      both: factor * variance.both,
    },
    influence: Float64Array.from(rows),
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, each) => total + each, 0);
}
