import type { Selection } from '../lanes/selection.js';
import type { UserSumsObserver } from '../lanes/user-sums.js';
import { beyondCancelling } from '../mathematics/edges.js';
import { type Denominators, jackknifeFactor, type RatioMoments } from './moments.js';

/**
 * Stores the reference model's sums per user during a chunk, for the differences of other models.
 */
export class ReferenceSums implements UserSumsObserver {
  /** By slot (`slotOf`), then by user in the order of `segment`: N_u and D_u. */
  readonly numerators: Float64Array[];
  readonly denominators: Float64Array[];
  /** The users' indices in the `WindowPart` (its user segments), ascending. */
  segment = new Int32Array(0);
  users = 0;

  constructor(slots: number) {
    this.numerators = Array.from({ length: slots }, () => new Float64Array(0));
    this.denominators = Array.from({ length: slots }, () => new Float64Array(0));
  }

  begin(): void {
    this.users = 0;
  }

  /**
   * Write to `at` the index in these sums of each user of `segment`; −1 for users that these sums
   * lack. `segment` and the segments of these sums ascend.
   */
  find(segment: Int32Array, users: number, at: Int32Array): void {
    for (let u = 0, o = 0; u < users; u++) {
      while (o < this.users && this.segment[o] < segment[u]) {
        o++;
      }
      at[u] = o < this.users && this.segment[o] === segment[u] ? o : -1;
    }
  }

  observe(
    slot: number,
    numerators: Float64Array,
    { values }: Denominators,
    { segment, users }: Selection,
  ): void {
    if (slot === 0) {
      this.users = users;
      this.segment = held(this.segment, segment, users);
    }
    this.numerators[slot] = held(this.numerators[slot], numerators, users);
    this.denominators[slot] = held(this.denominators[slot], values, users);
  }
}

/** Copy the first `size` values into `room`, or into a new column if `room` is too small. */
function held<Column extends Float64Array | Int32Array>(
  room: Column,
  values: Column,
  size: number,
): Column {
  if (room.length < size) return values.slice(0, size) as Column;
  for (let i = 0; i < size; i++) {
    room[i] = values[i];
  }
  return room;
}

/**
 * Collects the paired sums of a model's lane and the reference model's, one `PairedMoments` for
 * each slot of the model's lane.
 */
export class PairedDifferences implements UserSumsObserver {
  readonly #reference: ReferenceSums;
  /** By user of the chunk: index in the reference model's sums. */
  #at = new Int32Array(0);
  readonly #moments: readonly PairedMoments[];

  /** @param own moments of the model by slot. @param other moments of the reference by slot. */
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
    const reference = this.#reference;
    if (slot === 0) {
      if (this.#at.length < users) {
        this.#at = new Int32Array(users);
      }
      reference.find(segment, users, this.#at);
    }
    const n = reference.numerators[slot];
    const d = reference.denominators[slot];
    this.#moments[slot].add(numerators, values, n, d, this.#at, users);
  }

  at(slot: number): PairedMoments {
    return this.#moments[slot];
  }
}

/**
 * Difference of two ratio estimators over the same users, with its standard error.
 *
 * R_A − R_B, stdErr² = f Σ_u (e_A / ΣD_A − e_B / ΣD_B)², e = N_u − R D_u, over the U users with
 * weight in either estimate; a user whom only one model ranks counts 0 in the other. f is the
 * factor of the jackknife at the smaller effective sample size. Source: linearisation of the ratio
 * (Taylor), clustered by user. Influence functions are subtracted before they are squared, so that
 * common noise cancels.
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

  /** Both moments must have received a chunk before `add` is called for it. */
  constructor(own: RatioMoments, other: RatioMoments) {
    this.#own = own;
    this.#other = other;
  }

  /**
   * Add a chunk. @param at by user of the chunk: index in the other model's sums, −1 if missing.
   */
  add(
    ownN: Float64Array,
    ownD: Float64Array,
    otherN: Float64Array,
    otherD: Float64Array,
    at: Int32Array,
    users: number,
  ): void {
    // As long as one model has no ratio, no user has weight in both models.
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
      const o = at[u];
      if (o < 0) continue;
      // A user without weight in one model has no numerator there either, and adds nothing.
      const d = otherD[o];
      const own = ownD[u];
      const e = ownN[u] - a * own;
      const f = otherN[o] - b * d;
      ee += e * f;
      ed += e * d;
      de += own * f;
      dd += own * d;
      if (d !== 0 && own !== 0) {
        both++;
      }
    }
    this.#ee += ee;
    this.#ed += ed;
    this.#de += de;
    this.#dd += dd;
    this.#both += both;
  }

  /**
   * Number of users with weight in either model. @param own number of users with weight in this
   * model. @param other number in the other model.
   */
  users(own: number, other: number): number {
    return own + other - this.#both;
  }

  /**
   * Standard error of the difference.
   *
   * @param users from `users`. @param ess the smaller effective sample size.
   * @returns NaN if the spread is unknown, see `RatioMoments.stdErr`.
   */
  stdErr(users: number, ess: number): number {
    const factor = jackknifeFactor(users, ess);
    if (Number.isNaN(factor)) return factor;
    const own = this.#own.spread;
    const other = this.#other.spread;
    // For two models with equal gains, the difference of squares is rounding error.
    const variance = beyondCancelling(own + other - 2 * this.#cross(), own + other);
    return variance === 0 ? 0 : Math.sqrt(factor * variance);
  }

  /** Correlation of the two estimates, clustered by user; 0 if one of them is constant. */
  get correlation(): number {
    const scale = Math.sqrt(this.#own.spread * this.#other.spread);
    return scale > 0 ? Math.min(1, Math.max(-1, this.#cross() / scale)) : 0;
  }

  /** Sum of products Σ (e_A / ΣD_A)(e_B / ΣD_B), with e about the final ratios. */
  #cross(): number {
    if (this.#both === 0) return 0;
    const a = this.#own.ratio - this.#ownAt;
    const b = this.#other.ratio - this.#otherAt;
    const sum = this.#ee - b * this.#ed - a * this.#de + a * b * this.#dd;
    return sum / (this.#own.denominator * this.#other.denominator);
  }
}
