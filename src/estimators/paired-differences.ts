import type { WindowPart } from '../state/window-part.js';
import { type Denominators, jackknifeFactor, type RatioMoments } from './moments.js';
import type { Selection } from './selection.js';
import type { UserSumsObserver } from './user-sums.js';

/** Keeps the sums per user of the reference model while a chunk lasts. */
export class ReferenceSums implements UserSumsObserver {
  /** By slot, then by user from the chunk's first on; 0 for users without weight. */
  readonly numerators: Float64Array[];
  readonly denominators: Float64Array[];
  /** The chunk's first segment. */
  from = 0;

  constructor(slots: number) {
    this.numerators = Array.from({ length: slots }, () => new Float64Array(0));
    this.denominators = Array.from({ length: slots }, () => new Float64Array(0));
  }

  begin(_part: WindowPart, from: number, to: number): void {
    this.from = from;
    for (const column of [this.numerators, this.denominators]) {
      for (let slot = 0; slot < column.length; slot++) {
        if (column[slot].length < to - from) column[slot] = new Float64Array(to - from);
        else column[slot].fill(0, 0, to - from);
      }
    }
  }

  observe(
    slot: number,
    numerators: Float64Array,
    { values }: Denominators,
    selection: Selection,
  ): void {
    const n = this.numerators[slot];
    const d = this.denominators[slot];
    const { segment, users } = selection;
    for (let u = 0; u < users; u++) {
      n[segment[u] - this.from] = numerators[u];
      d[segment[u] - this.from] = values[u];
    }
  }
}

/** Sums over the users of two models together, by slot of one model's lane. */
export class PairedDifferences implements UserSumsObserver {
  readonly #reference: ReferenceSums;
  readonly #moments: readonly PairedMoments[];

  /** @param own moments of the model by slot. @param other those of the reference. */
  constructor(
    reference: ReferenceSums,
    own: readonly RatioMoments[],
    other: readonly RatioMoments[],
  ) {
    this.#reference = reference;
    this.#moments = own.map((moments, slot) => new PairedMoments(moments, other[slot]));
  }

  begin(): void {}

  observe(
    slot: number,
    numerators: Float64Array,
    { values }: Denominators,
    { segment, users }: Selection,
  ): void {
    const { from } = this.#reference;
    const n = this.#reference.numerators[slot];
    const d = this.#reference.denominators[slot];
    this.#moments[slot].add(numerators, values, n, d, segment, from, users);
  }

  at(slot: number): PairedMoments {
    return this.#moments[slot];
  }
}

/**
 * The difference of two ratio estimators over the same users, with its error.
 *
 * R_A − R_B, stdErr² = f Σ_u (e_A / ΣD_A − e_B / ΣD_B)², e = N_u − R D_u, over the U users that carry
 * weight in either; a user whom only one model ranks counts with 0 in the other. f is the factor of
 * the jackknife at the lesser effective sample size.
 * Source: linearisation of the ratio (Taylor), clustered by user: influence functions are subtracted
 * before they are squared, so that what both models share cancels.
 *
 * The cross sums are kept about fixed ratios near R and moved to R at the end, which is exact.
 */
export class PairedMoments {
  readonly #own: RatioMoments;
  readonly #other: RatioMoments;
  #ownAt = Number.NaN;
  #otherAt = Number.NaN;
  /** Σ e_A e_B, Σ e_A D_B, Σ D_A e_B, Σ D_A D_B and users with weight in both. */
  #ee = 0;
  #ed = 0;
  #de = 0;
  #dd = 0;
  #both = 0;

  /** Both must have taken in a chunk before this does. */
  constructor(own: RatioMoments, other: RatioMoments) {
    this.#own = own;
    this.#other = other;
  }

  add(
    ownN: Float64Array,
    ownD: Float64Array,
    otherN: Float64Array,
    otherD: Float64Array,
    segment: Int32Array,
    from: number,
    users: number,
  ): void {
    // Without a ratio on either side so far there is no user with weight in both either.
    if (Number.isNaN(this.#ownAt) || Number.isNaN(this.#otherAt)) {
      this.#ownAt = this.#own.ratio;
      this.#otherAt = this.#other.ratio;
      if (Number.isNaN(this.#ownAt) || Number.isNaN(this.#otherAt)) return;
    }
    const a = this.#ownAt;
    const b = this.#otherAt;
    let ee = 0;
    let ed = 0;
    let de = 0;
    let dd = 0;
    let both = 0;
    for (let u = 0; u < users; u++) {
      const at = segment[u] - from;
      const d = otherD[at];
      const own = ownD[u];
      if (d === 0 || own === 0) continue;
      const e = ownN[u] - a * own;
      const f = otherN[at] - b * d;
      ee += e * f;
      ed += e * d;
      de += own * f;
      dd += own * d;
      both++;
    }
    this.#ee += ee;
    this.#ed += ed;
    this.#de += de;
    this.#dd += dd;
    this.#both += both;
  }

  /** Users with weight in either model. @param own how many in this one. @param other in the other. */
  users(own: number, other: number): number {
    return own + other - this.#both;
  }

  /**
   * Standard error of the difference.
   *
   * @param users as `users` gives them. @param ess the lesser effective sample size.
   * @returns NaN where the spread is unknown, see `RatioMoments.stdErr`.
   */
  stdErr(users: number, ess: number): number {
    const factor = jackknifeFactor(users, ess);
    if (Number.isNaN(factor)) return factor;
    const own = this.#own.spread;
    const other = this.#other.spread;
    const variance = own + other - 2 * this.#cross();
    // What is left of two equal models is rounding.
    if (variance <= ROUNDING * (own + other)) return 0;
    return Math.sqrt(factor * variance);
  }

  /** Σ (e_A / ΣD_A)(e_B / ΣD_B) about the final ratios. */
  #cross(): number {
    if (this.#both === 0) return 0;
    const a = this.#own.ratio - this.#ownAt;
    const b = this.#other.ratio - this.#otherAt;
    const sum = this.#ee - b * this.#ed - a * this.#de + a * b * this.#dd;
    return sum / (this.#own.denominator * this.#other.denominator);
  }
}

const ROUNDING = 1e-12;
