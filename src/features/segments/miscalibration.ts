/** How far lists are from their users’ profiles, over head, middle and tail. */
export interface Miscalibration {
  /** Kullback–Leibler, Σ p ln(p / q̃), q̃ = .99 q + .01 p: nats, at most 4.605. */
  readonly kl: number;
  /** Jensen–Shannon, bits: 0 to 1. */
  readonly js: number;
  /** Hellinger, ‖√p − √q‖ / √2: 0 to 1. */
  readonly hellinger: number;
}

/** Share of p in q̃, so that a group without items in a list does not make KL infinite. */
const MIXED = 0.01;

/**
 * How far a list’s shares of groups are from those of a profile.
 *
 * KL(p ‖ q̃) = Σ p ln(p / q̃) with q̃ = .99 q + .01 p; JS in bits; Hellinger.
 * **Source**: Steck 2018, Calibrated recommendations, section 3 (its α = .01).
 * Short lists that are drawn from p itself have KL .57 at 5 items, .19 to .23 at 10, .021 at 50: show
 * that floor beside (`calibrationFloor`).
 *
 * @param profile counts by group, some above 0. @param list counts by group, some above 0.
 * @returns NaN where either is empty.
 * @example
 * miscalibration([1, 1, 0], [1, 2, 0]).kl; // 0.0576493...
 */
export function miscalibration(
  profile: ArrayLike<number>,
  list: ArrayLike<number>,
): Miscalibration {
  const ofProfile = sumOf(profile);
  const ofList = sumOf(list);
  let kl = 0;
  let js = 0;
  let distance = 0;
  for (let g = 0; g < profile.length; g++) {
    const p = profile[g] / ofProfile;
    const q = list[g] / ofList;
    const middle = (p + q) / 2;
    if (p > 0) kl += p * Math.log(p / ((1 - MIXED) * q + MIXED * p));
    if (p > 0) js += (p * Math.log2(p / middle)) / 2;
    if (q > 0) js += (q * Math.log2(q / middle)) / 2;
    distance += (Math.sqrt(p) - Math.sqrt(q)) ** 2;
  }
  const isEmpty = !(ofProfile > 0 && ofList > 0);
  if (isEmpty) return { kl: Number.NaN, js: Number.NaN, hellinger: Number.NaN };
  return { kl, js, hellinger: Math.sqrt(distance / 2) };
}

/**
 * What lists of `length` items would have if they were drawn from the profile itself: the floor that
 * a miscalibration is read against.
 *
 * The mean of `miscalibration` over all lists, each with its multinomial probability. Exact;
 * O(length²) for three groups.
 * Source: own, by the definition.
 *
 * @param profile counts of head, middle and tail. @param length items of a list, ≥ 1.
 * @example
 * calibrationFloor([1, 1, 1], 50).kl < 0.03; // true
 */
export function calibrationFloor(
  profile: readonly [number, number, number],
  length: number,
): Miscalibration {
  const total = profile[0] + profile[1] + profile[2];
  const logs = profile.map((count) => Math.log(count / total));
  const factorials = logFactorials(length);
  let kl = 0;
  let js = 0;
  let hellinger = 0;
  for (let head = 0; head <= length; head++) {
    for (let middle = 0; head + middle <= length; middle++) {
      const list = [head, middle, length - head - middle];
      let log = factorials[length];
      for (let g = 0; g < 3; g++) if (list[g] > 0) log += list[g] * logs[g] - factorials[list[g]];
      const chance = Math.exp(log);
      if (chance === 0) continue;
      const far = miscalibration(profile, list);
      kl += chance * far.kl;
      js += chance * far.js;
      hellinger += chance * far.hellinger;
    }
  }
  return { kl, js, hellinger };
}

function logFactorials(most: number): Float64Array {
  const logs = new Float64Array(most + 1);
  for (let n = 2; n <= most; n++) logs[n] = logs[n - 1] + Math.log(n);
  return logs;
}

function sumOf(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let g = 0; g < counts.length; g++) sum += counts[g];
  return sum;
}
