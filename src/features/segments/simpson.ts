import { studentTQuantile, studentTTail } from '../../estimators/mathematics/distributions.js';
import { discoveries } from './false-discoveries.js';

/** One model’s estimate in one segment, on its own rows. */
export interface VariantSegment {
  /** Weight of the segment, in any unit; only its fraction of the total matters. */
  readonly weight: number;
  readonly value: number;
  /** Variance of the value, clustered by user. */
  readonly variance: number;
  /** Effective number of users. */
  readonly users: number;
}

/** A model with estimates on its own rows, such as an arm with its own users. */
export interface Variant {
  /** Estimates by segment, in the same order for both variants. */
  readonly segments: readonly VariantSegment[];
  /** Variance of the total, clustered by user. */
  readonly variance: number;
  /** Effective number of users of the total. */
  readonly users: number;
}

/**
 * The difference D of the totals of two variants, split into a difference within segments (W) and a
 * difference in mix (M): D = W + M.
 */
export interface ComparedVariants {
  /** Difference D: the first variant's total minus the second's. */
  readonly total: number;
  /** Difference W within the same segments. */
  readonly within: number;
  /** Standard error of W, the difference within segments. */
  readonly withinStdErr: number;
  /** Effective number of users behind W, the difference within segments. */
  readonly users: number;
  /** Difference M due to different fractions of the segments. */
  readonly mix: number;
  /**
   * Whether it is Simpson's paradox: the total difference D and the difference W within segments
   * have opposite signs, both beyond chance.
   */
  readonly isParadox: boolean;
  /** Whether the raw difference in each segment has the sign of W. */
  readonly agreesEverywhere: boolean;
  /**
   * Index of the segment that contributes most to the difference in mix, M; −1 for the merged small
   * segments.
   */
  readonly largestMix: number;
  /**
   * Weight fraction of the segment `largestMix` in the first variant minus its fraction in the
   * second.
   */
  readonly moreOfIt: number;
  /** Number of compared segments; the merged small segments count as one. */
  readonly values: number;
}

/**
 * Why two variants cannot be compared within segments: too much of their weight is in segments that
 * only one of them has.
 */
export type VariantRefusal = 'segments_not_shared';

/** The two variants' estimates in one segment. */
interface Pair {
  /** Index in the order given; −1 for the merged small segments. */
  readonly place: number;
  readonly a: VariantSegment;
  readonly b: VariantSegment;
}

/**
 * Least number of effective users of a segment. With fewer, its variance is meaningless, and it is
 * merged with others.
 */
const LEAST_USERS = 2;
/** Largest fraction of a variant's weight that merged segments may have. */
const MOST_REST = 0.05;

/**
 * Decompose the difference of two variants (such as the arms of a test) with different rows, and
 * test for Simpson’s paradox.
 *
 * Variants a and b have the estimates R and the weight fractions ω of each segment; ω̄ = (ω_a +
 * ω_b) / 2. W = Σ ω̄ (R_a − R_b), M = Σ (ω_a − ω_b)(R_a + R_b) / 2 and D = Σ ω_a R_a − Σ ω_b R_b =
 * W + M exactly. It is a paradox if D and W have opposite signs, the 95 % intervals of both exclude
 * 0, and no segment's difference has the sign of D beyond chance (5 % false discoveries). On the
 * same rows with the same weights D = W, so there is no paradox. Source: Simpson 1951; the
 * symmetric split of Kitagawa 1955. The rule for a paradox is our own, checked by simulation: a
 * difference of mix alone passes in about 2 % of cases.
 *
 * Segments with fewer than two effective users in either variant are merged into one. They may have
 * at most 5 % of either variant's weight.
 *
 * @returns a refusal if the merged segments have more weight, or only one variant has weight in
 * them.
 * @example
 * const of = (weight, value) => ({ weight, value, variance: 1e-6, users: 900 });
 * const a = { segments: [of(0.2, 0.31), of(0.8, 0.11)], variance: 1e-6, users: 1800 };
 * const b = { segments: [of(0.8, 0.3), of(0.2, 0.1)], variance: 1e-6, users: 1800 };
 * const compared = compareVariants(a, b);
 * typeof compared === 'string' ? false : compared.isParadox; // true
 */
export function compareVariants(a: Variant, b: Variant): ComparedVariants | VariantRefusal {
  const pairs = sharedSegments(a.segments, b.segments);
  if (pairs === null) return 'segments_not_shared';
  const weightOf = (side: 'a' | 'b') => pairs.reduce((sum, pair) => sum + pair[side].weight, 0);
  const weights = {
    a: weightOf('a'),
    b: weightOf('b'),
  };
  let within = 0;
  let mix = 0;
  let variance = 0;
  let largest = 0;
  let largestMix = -1;
  let moreOfIt = 0;
  for (const pair of pairs) {
    const shareA = pair.a.weight / weights.a;
    const shareB = pair.b.weight / weights.b;
    const mean = (shareA + shareB) / 2;
    const ofMix = ((shareA - shareB) * (pair.a.value + pair.b.value)) / 2;
    within += mean * (pair.a.value - pair.b.value);
    variance += mean ** 2 * (pair.a.variance + pair.b.variance);
    mix += ofMix;
    if (Math.abs(ofMix) <= largest) continue;
    largest = Math.abs(ofMix);
    largestMix = pair.place;
    moreOfIt = shareA - shareB;
  }
  const total = within + mix;
  const users = Math.min(a.users, b.users);
  const isParadox =
    total * within < 0 &&
    excludesZero(total, a.variance + b.variance, users) &&
    excludesZero(within, variance, users) &&
    !differsAgainst(pairs, Math.sign(within));
  const sign = Math.sign(within);
  const agreesEverywhere = pairs.every((pair) => Math.sign(pair.a.value - pair.b.value) === sign);
  const error = {
    withinStdErr: Math.sqrt(variance),
    users,
  };
  return {
    total,
    within,
    ...error,
    mix,
    isParadox,
    agreesEverywhere,
    largestMix,
    moreOfIt,
    values: pairs.length,
  };
}

/**
 * The segments that both variants have, followed by the merged small segments. Null if there are
 * none, if only one variant has weight in the merged segments, or if these have too much weight.
 */
function sharedSegments(
  a: readonly VariantSegment[],
  b: readonly VariantSegment[],
): readonly Pair[] | null {
  const isMeasured = ({ weight, users }: VariantSegment) => weight > 0 && users >= LEAST_USERS;
  const shared: Pair[] = [];
  const restA: VariantSegment[] = [];
  const restB: VariantSegment[] = [];
  for (let s = 0; s < a.length; s++) {
    if (isMeasured(a[s]) && isMeasured(b[s])) {
      shared.push({
        place: s,
        a: a[s],
        b: b[s],
      });
      continue;
    }
    if (a[s].weight > 0) {
      restA.push(a[s]);
    }
    if (b[s].weight > 0) {
      restB.push(b[s]);
    }
  }
  if (restA.length === 0 && restB.length === 0) return shared.length === 0 ? null : shared;
  if (restA.length === 0 || restB.length === 0) return null;
  if (shareOf(restA, a) > MOST_REST || shareOf(restB, b) > MOST_REST) return null;
  return [
    ...shared,
    {
      place: -1,
      a: together(restA),
      b: together(restB),
    },
  ];
}

function shareOf(part: readonly VariantSegment[], all: readonly VariantSegment[]): number {
  const weightOf = (some: readonly VariantSegment[]) => some.reduce((sum, s) => sum + s.weight, 0);
  return weightOf(part) / weightOf(all);
}

function together(segments: readonly VariantSegment[]): VariantSegment {
  let weight = 0;
  let gain = 0;
  let variance = 0;
  let users = 0;
  for (const segment of segments) {
    weight += segment.weight;
    gain += segment.weight * segment.value;
    // The variance of a single user is unknown.
    if (segment.variance > 0) {
      variance += segment.weight ** 2 * segment.variance;
    }
    users += segment.users;
  }
  return {
    weight,
    value: gain / weight,
    variance: variance / weight ** 2,
    users,
  };
}

function excludesZero(value: number, variance: number, users: number): boolean {
  if (!(users > 1)) return false;
  return Math.abs(value) > studentTQuantile(0.975, users - 1) * Math.sqrt(variance);
}

/** Whether the difference of some segment is significant and has the sign opposite to `sign`. */
function differsAgainst(pairs: readonly Pair[], sign: number): boolean {
  const p = pairs.map(({ a, b }) => {
    const error = Math.sqrt(a.variance + b.variance);
    const df = Math.min(a.users, b.users) - 1;
    if (!(error > 0 && df > 0)) return Number.NaN;
    return studentTTail(Math.abs(a.value - b.value) / error, df);
  });
  const found = discoveries(p, 0.05);
  return pairs.some(({ a, b }, s) => found[s] && Math.sign(a.value - b.value) === -sign);
}
