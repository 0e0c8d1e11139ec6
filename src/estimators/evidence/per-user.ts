/** Rewards of the users of two arms, as columns with an entry per user or group of users. */
export interface ArmUsers {
  /** 1 for the arm, 0 for the control. */
  readonly arm: ArrayLike<number>;
  /** Y, the user's reward. */
  readonly reward: ArrayLike<number>;
  /** x, ln(1 + positives before the first list); NaN for a user without history. */
  readonly history: ArrayLike<number>;
  /**
   * 1 / probability of the user's arm, needed if this probability changed over time; 1 by default.
   */
  readonly weight?: ArrayLike<number>;
}

/** Difference between two arms, with its Wald and its score standard error. */
export interface Contrast {
  /** D, the arm's mean minus the control's. */
  readonly difference: number;
  /** Mean of the arm (`own`) and mean of the control (`other`). */
  readonly own: number;
  readonly other: number;
  /** Wald standard error √(G/(G−1) Σψ²), with G entries. */
  readonly wald: number;
  /**
   * Standard error if both arms had the same mean. It stays above 0 for a small arm without
   * rewards.
   */
  readonly score: number;
  /** ν = (Σψ²)² / Σψ⁴, the degrees of freedom after Satterthwaite. */
  readonly freedom: number;
  /** Variances and covariance of the means; the variance of D is `own − 2 · both + other`. */
  readonly variance: {
    readonly own: number;
    readonly other: number;
    readonly both: number;
  };
  /** ψ, the influence of each entry on D. */
  readonly influence: Float64Array;
}

/**
 * CUPED slope θ of reward Y on history x, pooled within arms.
 *
 *   θ = Σ_a(ΣxY − X_a Y_K,a / K_a) / Σ_a(Σx² − X_a² / K_a)
 *
 * over the users with a history: K_a of them in arm a, with sums X_a of x and Y_K,a of Y.
 *
 * **Source**: CUPED (Deng et al., WSDM 2013).
 *
 * @returns the slope, 0 if x has no spread, and x̄, the mean over both arms.
 */
export function historySlope({ arm, reward, history }: ArmUsers): {
  readonly slope: number;
  readonly mean: number;
} {
  const sums = [0, 1].map(() => ({
    users: 0,
    x: 0,
    xx: 0,
    xy: 0,
    y: 0,
  }));
  for (let u = 0; u < arm.length; u++) {
    const x = history[u];
    if (Number.isNaN(x)) continue;
    const own = sums[arm[u]];
    own.users++;
    own.x += x;
    own.xx += x * x;
    own.xy += x * reward[u];
    own.y += reward[u];
  }
  let covariance = 0;
  let spread = 0;
  for (const { users, x, xx, xy, y } of sums) {
    if (users === 0) continue;
    covariance += xy - (x * y) / users;
    spread += xx - (x * x) / users;
  }
  const [a, b] = sums;
  const mean = (a.x + b.x) / (a.users + b.users);
  // A spread within rounding error counts as none.
  const isSpread = spread > 1e-9 * (a.xx + b.xx);
  return {
    slope: isSpread ? covariance / spread : 0,
    mean,
  };
}

/**
 * Difference in reward per user between two arms, adjusted for history.
 *
 *   R_u = Y_u − θ(x_u − x̄),   m_a = Σ_a wR / Σ_a w,   D = m_b − m_a
 *   ψ_u = ±w_u(R_u − m_a) / Σ_a w,   Wald² = U/(U−1) · Σψ²
 *   Score² = s²(Σ_b w²/(Σ_b w)² + Σ_a w²/(Σ_a w)²),   s² = Σ(R_u − r̄)² / U
 *
 * with a the control and b the arm; r̄ is the mean of R over both, θ from `historySlope`. Without
 * weights Score² = s²(1/n_a + 1/n_b). O(users).
 *
 * **Source**: CUPED (Deng et al., WSDM 2013); the score error is that of equal arms.
 *
 * @example
 * const reward = [2, 1, 3, 4, 2, 3];
 * const arm = [0, 0, 0, 1, 1, 1];
 * perUser({ arm, reward, history: [1, 0, 2, 1, 0, 2] }).difference; // 1
 */
export function perUser(users: ArmUsers): Contrast & { readonly slope: number } {
  const { arm, reward, history, weight } = users;
  const size = arm.length;
  const { slope, mean } = historySlope(users);
  const residual = Float64Array.from({ length: size }, (_, u) => {
    const x = history[u];
    return reward[u] - (slope === 0 || Number.isNaN(x) ? 0 : slope * (x - mean));
  });
  const total = [0, 0];
  const weighted = [0, 0];
  const squares = [0, 0];
  for (let u = 0; u < size; u++) {
    const w = weight?.[u] ?? 1;
    total[arm[u]] += w;
    weighted[arm[u]] += w * residual[u];
    squares[arm[u]] += w * w;
  }
  const means = [0, 1].map((a) => weighted[a] / total[a]);
  const common = (weighted[0] + weighted[1]) / (total[0] + total[1]);
  const influence = new Float64Array(size);
  let spread = 0;
  for (let u = 0; u < size; u++) {
    const a = arm[u];
    const w = weight?.[u] ?? 1;
    influence[u] = ((a === 1 ? 1 : -1) * w * (residual[u] - means[a])) / total[a];
    spread += (residual[u] - common) ** 2;
  }
  const score = Math.sqrt(
    (spread / size) * (squares[0] / total[0] ** 2 + squares[1] / total[1] ** 2),
  );
  const halves = (u: number): [number, number] =>
    arm[u] === 1 ? [influence[u], 0] : [0, -influence[u]];
  return {
    slope,
    ...contrastOf(means, score, influence, halves),
  };
}

/** Requests and rewards of users, or groups of users, in each of two arms. */
export interface ArmRequests {
  /**
   * By user or group: number of requests N (`requests`) and their reward Y (`reward`), first in the
   * control and then in the arm.
   */
  readonly requests: readonly [ArrayLike<number>, ArrayLike<number>];
  readonly reward: readonly [ArrayLike<number>, ArrayLike<number>];
}

/**
 * Difference in reward per request between two arms, clustered by user.
 *
 *   R_a = ΣY_a / ΣN_a,   D = R_b − R_a,   ψ_u = (Y_ub − R_b N_ub)/N_b − (Y_ua − R_a N_ua)/N_a
 *   Score² = s²(ΣN²_b / N_b² + ΣN²_a / N_a²),   s² = Σ(Y_u − R N_u)² / ΣN_u²
 *
 * with a the control and b the arm, N_a = ΣN_ua and N_b = ΣN_ub; R, Y_u and N_u are over both arms.
 * O(users).
 */
export function perRequest({ requests, reward }: ArmRequests): Contrast {
  const [controlRequests, ownRequests] = requests;
  const [controlReward, ownReward] = reward;
  const size = ownRequests.length;
  const n = requests.map((each) => sumOf(each));
  const y = reward.map((each) => sumOf(each));
  const means = [0, 1].map((a) => y[a] / n[a]);
  const pooled = (y[0] + y[1]) / (n[0] + n[1]);
  const own = new Float64Array(size);
  const other = new Float64Array(size);
  const influence = new Float64Array(size);
  const squares = [0, 0];
  let residuals = 0;
  let all = 0;
  for (let u = 0; u < size; u++) {
    own[u] = (ownReward[u] - means[1] * ownRequests[u]) / n[1];
    other[u] = (controlReward[u] - means[0] * controlRequests[u]) / n[0];
    influence[u] = own[u] - other[u];
    squares[0] += controlRequests[u] ** 2;
    squares[1] += ownRequests[u] ** 2;
    const both = controlRequests[u] + ownRequests[u];
    residuals += (controlReward[u] + ownReward[u] - pooled * both) ** 2;
    all += both ** 2;
  }
  const score = Math.sqrt((residuals / all) * (squares[1] / n[1] ** 2 + squares[0] / n[0] ** 2));
  return contrastOf(means, score, influence, (u) => [own[u], other[u]]);
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let u = 0; u < values.length; u++) {
    sum += values[u];
  }
  return sum;
}

/**
 * Compute standard error, degrees of freedom and variances from ψ, the influence of each entry.
 *
 * @param halves gives the two parts of an entry's ψ: of the arm's mean, then of the control's mean.
 */
function contrastOf(
  [other, own]: readonly number[],
  score: number,
  influence: Float64Array,
  halves: (row: number) => readonly [number, number],
): Contrast {
  const groups = influence.length;
  const factor = groups / (groups - 1);
  let squares = 0;
  let fourths = 0;
  const variance = {
    own: 0,
    other: 0,
    both: 0,
  };
  for (let u = 0; u < groups; u++) {
    const square = influence[u] ** 2;
    squares += square;
    fourths += square ** 2;
    const [b, a] = halves(u);
    variance.own += factor * b * b;
    variance.other += factor * a * a;
    variance.both += factor * a * b;
  }
  return {
    difference: own - other,
    own,
    other,
    wald: Math.sqrt(factor * squares),
    score,
    freedom: fourths > 0 ? squares ** 2 / fourths : Number.NaN,
    variance,
    influence,
  };
}

/** Standard error that intervals use: the larger of Wald and score. */
export function errorOf({ wald, score }: Pick<Contrast, 'wald' | 'score'>): number {
  return Math.max(wald, score);
}

/**
 * Degrees of freedom of the difference between two arms.
 *
 * If users are randomised: the number of users of the smaller arm. Where a few users dominate, the
 * score error already bounds the Wald error. If requests are randomised: at most ν
 * (`Contrast.freedom`), since a few users may make most requests.
 *
 * @param leastUsers users of the smaller arm. @returns at least 1
 */
export function freedomOf(
  { freedom }: Pick<Contrast, 'freedom'>,
  unit: 'user' | 'request' | null,
  leastUsers: number,
): number {
  const most = unit === 'user' || Number.isNaN(freedom) ? leastUsers : freedom;
  return Math.max(1, Math.min(leastUsers, most));
}

/** Lift over the control with its interval; all NaN if the control's mean may be 0. */
export interface Lift {
  readonly lift: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Lift m_b / m_a − 1 of an arm over the control, with Fieller's interval: all ratios ρ with
 *
 *   (m_b − ρ m_a)² ≤ c² f (V_b − 2ρ V_ab + ρ² V_a),   f = se² / Wald²
 *
 * where m are the means, and V their variances and covariance. The interval excludes 0 exactly if
 * the interval of the difference does. There is no interval if m_a² ≤ c² f V_a.
 *
 * **Source**: E. C. Fieller, Journal of the Royal Statistical Society B 16, 1954.
 *
 * @param multiplier c, half the interval of the difference in se.
 */
export function liftOf(contrast: Contrast, multiplier: number): Lift {
  const { own, other, wald, variance } = contrast;
  const scale = multiplier ** 2 * (wald > 0 ? (errorOf(contrast) / wald) ** 2 : 1);
  const a = other * other - scale * variance.other;
  if (!(a > 0) || !(other > 0)) {
    return {
      lift: Number.NaN,
      lower: Number.NaN,
      upper: Number.NaN,
    };
  }
  const b = own * other - scale * variance.both;
  const c = own * own - scale * variance.own;
  const root = Math.sqrt(Math.max(0, b * b - a * c));
  return {
    lift: own / other - 1,
    lower: (b - root) / a - 1,
    upper: (b + root) / a - 1,
  };
}

/**
 * Signed difference of the means in standard errors. For a number known before the test, a large
 * value means that the arms' users already differed.
 */
export function unlikeness(contrast: Contrast): number {
  const stdErr = errorOf(contrast);
  return stdErr > 0 ? contrast.difference / stdErr : 0;
}
