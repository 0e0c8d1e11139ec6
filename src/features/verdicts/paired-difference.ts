import { effectiveSampleSize } from '../../estimators/uncertainty/effective-sample-size.js';

/** Sums of one model by group of users; both arrays have one entry per group. */
export interface GroupSums {
  /** Σ w of the group's rows, without unit. */
  readonly weight: ArrayLike<number>;
  /** Σ w · gain of the group's rows. */
  readonly gain: ArrayLike<number>;
}

/** Difference between two models, with its standard error. */
export interface PairedDifference {
  /** D = R_m − R_n. */
  readonly value: number;
  /** se of D, clustered by group; NaN for fewer than two groups. */
  readonly stdErr: number;
  /** The smaller Kish effective number of groups of the two models. */
  readonly ess: number;
  /** Groups with weight in either model. */
  readonly groups: number;
  /** R_m, gain per weight of the model. */
  readonly own: number;
  /** R_n, gain per weight of the other model. */
  readonly other: number;
}

/**
 * The difference of two ratios over the same groups of users.
 *
 *   R_m = Σ_g B_gm / Σ_g W_gm,   D = R_m − R_n
 *   ψ_g = (B_gm − R_m W_gm) / ΣW_m − (B_gn − R_n W_gn) / ΣW_n
 *   se² = G / (G − 1) · Σ_g ψ_g²
 *
 * A group contains whole users with all of their rows, so groups are independent even if panes are
 * not. If both models rank all rows, ΣW_m = ΣW_n and ψ_g is (B_gm − B_gn − D·W_gm) / ΣW. Source:
 * linearisation of the ratio (Taylor), clustered. O(groups).
 *
 * @param own sums of m. @param other sums of n, by the same groups.
 * @returns NaN for D if a model has no weight.
 * @example
 * const weight = [2, 1, 1, 2];
 * const own = { weight, gain: [2, 1, 0, 1] };
 * pairedDifference(own, { weight, gain: [0, 0, 1, 0] }).value; // 0.5
 */
export function pairedDifference(own: GroupSums, other: GroupSums): PairedDifference {
  const m = ratioOf(own);
  const n = ratioOf(other);
  const { length } = own.weight;
  let squares = 0;
  let groups = 0;
  for (let g = 0; g < length; g++) {
    if (own.weight[g] === 0 && other.weight[g] === 0) continue;
    groups++;
    const influence =
      (own.gain[g] - m.ratio * own.weight[g]) / m.weight -
      (other.gain[g] - n.ratio * other.weight[g]) / n.weight;
    squares += influence * influence;
  }
  return {
    value: m.ratio - n.ratio,
    stdErr: groups > 1 ? Math.sqrt((groups / (groups - 1)) * squares) : Number.NaN,
    ess: Math.min(m.ess, n.ess),
    groups,
    own: m.ratio,
    other: n.ratio,
  };
}

function ratioOf({ weight, gain }: GroupSums) {
  let w = 0;
  let b = 0;
  let squares = 0;
  for (let g = 0; g < weight.length; g++) {
    w += weight[g];
    b += gain[g];
    squares += weight[g] * weight[g];
  }
  return {
    weight: w,
    ratio: b / w,
    ess: effectiveSampleSize(w, squares),
  };
}
