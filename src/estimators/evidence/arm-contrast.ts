import { effectiveSampleSize } from '../uncertainty/effective-sample-size.js';
import type { Measured } from './anchored-rule.js';

/**
 * What the requests of two arms earned, one against the other, from the log's requests alone:
 *
 *   D = Σ_t (Q_t / Q) (c̄_tb − c̄_ta),   e = ± 1{a} (c − c̄_ta) Q_t / Q_ta
 *   se² = U / (U − 1) · Σ_u (Σ_{q∈u} e)² / Q²,   ν = (Σ_u ψ_u²)² / Σ_u ψ_u⁴
 *
 * over the strata t of equal shares in which both were served, U users with such requests. Where shares
 * are of each request, all is one stratum and a request counts 1 / s. Source: Hájek; ν after
 * Satterthwaite. Two passes: means first, then what users add to the error of them.
 */
export type ContrastVisit = (
  /** The stratum, and 1 for the model, 0 for the one that it is compared with. */
  stratum: number,
  side: 0 | 1,
  /** 1, or 1 / s. */
  weight: number,
  /** Number of the user, below that of users. */
  user: number,
  reward: number,
  /** What it earned from the first different place on. */
  below: number,
  /** Whether the lists of both arms are equal throughout. */
  isAlike: boolean,
) => void;

/** What of a request's rewards is counted. */
export const PARTS = ['all', 'below', 'above', 'alike'] as const;
/** All; from the first different place on; above it; all, where lists are equal throughout. */
export type RewardPart = (typeof PARTS)[number];

/** Σ w of all and of equal lists, then Σ w c by part. */
const BY_SIDE = 2 + PARTS.length;

/** How many numbers the first pass sums of a pair. */
export function meanSums(strata: number): number {
  return 2 * strata * BY_SIDE;
}

/** Adds requests to the sums of the first pass. */
export function addToMeans(into: Float64Array): ContrastVisit {
  return (stratum, side, weight, _, reward, below, isAlike) => {
    const at = (2 * stratum + side) * BY_SIDE;
    into[at] += weight;
    into[at + 2] += weight * reward;
    into[at + 3] += weight * below;
    into[at + 4] += weight * (reward - below);
    if (!isAlike) return;
    into[at + 1] += weight;
    into[at + 5] += weight * reward;
  };
}

/** The means of a pair, and by how much each request counts. */
export class ContrastMeans {
  /** By part: D. */
  readonly values: Readonly<Record<RewardPart, number>>;
  /** What a request of the reference earned. */
  readonly reference: number;
  readonly #means: Float64Array;
  readonly #scales: Float64Array;

  /** @param sums of the first pass. */
  constructor(sums: Float64Array, strata: number) {
    this.#means = new Float64Array(2 * strata * PARTS.length);
    this.#scales = new Float64Array(2 * strata * PARTS.length);
    const values = PARTS.map((_, part) => this.#part(sums, strata, part));
    this.values = Object.fromEntries(PARTS.map((name, part) => [name, values[part]])) as Readonly<
      Record<RewardPart, number>
    >;
    let earned = 0;
    let all = 0;
    for (let t = 0; t < strata; t++) {
      const weight = this.#scales[2 * t * PARTS.length] === 0 ? 0 : sums[2 * t * BY_SIDE];
      all += weight + (weight > 0 ? sums[(2 * t + 1) * BY_SIDE] : 0);
      earned +=
        (weight > 0 ? weight + sums[(2 * t + 1) * BY_SIDE] : 0) * this.#means[2 * t * PARTS.length];
    }
    this.reference = earned / all;
  }

  #part(sums: Float64Array, strata: number, part: number): number {
    const weightOf = (t: number, side: number) =>
      sums[(2 * t + side) * BY_SIDE + (PARTS[part] === 'alike' ? 1 : 0)];
    const isServed = (t: number) => weightOf(t, 0) > 0 && weightOf(t, 1) > 0;
    let all = 0;
    for (let t = 0; t < strata; t++) if (isServed(t)) all += weightOf(t, 0) + weightOf(t, 1);
    let value = all > 0 ? 0 : Number.NaN;
    for (let t = 0; t < strata; t++) {
      if (!isServed(t)) continue;
      const share = (weightOf(t, 0) + weightOf(t, 1)) / all;
      for (const side of [0, 1]) {
        const at = (2 * t + side) * PARTS.length + part;
        this.#means[at] = sums[(2 * t + side) * BY_SIDE + 2 + part] / weightOf(t, side);
        this.#scales[at] = ((side === 1 ? 1 : -1) * share) / weightOf(t, side);
        value += (side === 1 ? 1 : -1) * share * this.#means[at];
      }
    }
    return value;
  }

  /** What a request adds to ψ of its user; 0 where its stratum does not count. */
  influence(stratum: number, side: 0 | 1, weight: number, part: number, reward: number): number {
    const at = (2 * stratum + side) * PARTS.length + part;
    return this.#scales[at] * weight * (reward - this.#means[at]);
  }
}

/** By part U, Σψ², Σψ⁴; behind them Σ and Σ² of the requests by user, of both, and of each arm. */
const BY_PART = 3;
const REQUESTS_AT = PARTS.length * BY_PART;
export const SPREAD_SUMS = REQUESTS_AT + 6;

/** What the users of a partition add to the errors of a pair: the second pass. */
export class ContrastSpread {
  readonly #psi: readonly Float64Array[];
  readonly #counts: readonly Float64Array[];
  readonly #alike: Uint8Array;

  constructor(users: number) {
    const column = () => new Float64Array(users);
    this.#psi = PARTS.map(column);
    this.#counts = [0, 1].map(column);
    this.#alike = new Uint8Array(users);
  }

  /** Adds requests of a pair with these means. */
  adding(means: ContrastMeans): ContrastVisit {
    const [all, ofBelow, ofAbove, ofAlike] = this.#psi;
    return (stratum, side, weight, user, reward, below, isAlike) => {
      all[user] += means.influence(stratum, side, weight, 0, reward);
      ofBelow[user] += means.influence(stratum, side, weight, 1, below);
      ofAbove[user] += means.influence(stratum, side, weight, 2, reward - below);
      this.#counts[side][user]++;
      if (!isAlike) return;
      ofAlike[user] += means.influence(stratum, side, weight, 3, reward);
      this.#alike[user] = 1;
    };
  }

  /** Adds the sums over these users. */
  addTo(into: Float64Array): void {
    const [other, own] = this.#counts;
    for (let u = 0; u < own.length; u++) {
      const requests = own[u] + other[u];
      if (requests === 0) continue;
      for (let part = 0; part < PARTS.length; part++) {
        if (PARTS[part] === 'alike' && this.#alike[u] === 0) continue;
        const square = this.#psi[part][u] ** 2;
        into[part * BY_PART]++;
        into[part * BY_PART + 1] += square;
        into[part * BY_PART + 2] += square * square;
      }
      for (let n = 0; n < 3; n++) {
        const each = n === 0 ? requests : n === 1 ? other[u] : own[u];
        into[REQUESTS_AT + 2 * n] += each;
        into[REQUESTS_AT + 2 * n + 1] += each * each;
      }
    }
  }
}

/** A pair of arms, compared. */
export interface ArmContrast extends Readonly<Record<RewardPart, Measured>> {
  /** Effective users of both, and of the arm that has fewer. */
  readonly users: number;
  readonly leastUsers: number;
}

/**
 * The differences of a pair with their errors.
 *
 * @param sums of the second pass.
 */
export function armContrast({ values }: ContrastMeans, sums: ArrayLike<number>): ArmContrast {
  const [users, other, own] = [0, 1, 2].map((n) =>
    effectiveSampleSize(sums[REQUESTS_AT + 2 * n], sums[REQUESTS_AT + 2 * n + 1]),
  );
  const measured = PARTS.map((name, part): [RewardPart, Measured] => {
    const [count, squares, fourths] = [0, 1, 2].map((n) => sums[part * BY_PART + n]);
    const stdErr = count > 1 ? Math.sqrt((count / (count - 1)) * squares) : Number.NaN;
    const effective = fourths > 0 ? (squares * squares) / fourths : 1;
    const freedom = Math.max(1, Math.min(users, effective));
    return [name, { value: values[name], stdErr, freedom }];
  });
  const parts = Object.fromEntries(measured) as Record<RewardPart, Measured>;
  return { ...parts, users, leastUsers: Math.min(other, own) };
}
