import type { WindowPart } from '../../state/panes/window-part.js';
import type { Selection } from '../lanes/selection.js';
import type { UserSumsObserver } from '../lanes/user-sums.js';
import { beyondRounding } from '../mathematics/edges.js';
import type { Denominators } from './moments.js';

/** B, the number of bootstrap replicates. */
export const BOOTSTRAP_REPLICATES = 100;

/**
 * Poisson(1) weights of users for each replicate of a bootstrap, without a random generator.
 *
 * W(user, b) = F⁻¹(h / 2¹⁶) in replicate b, h 16 bits of a hash of (key of the user, b), F the
 * distribution function of Poisson(1). The weights do not depend on the order of users, their
 * partition or the tick. Source: Chamandy et al. 2012 (Poisson bootstrap by hashing). O(users × B).
 */
export class BootstrapWeights implements UserSumsObserver {
  /**
   * Weights of the chunk's users: `BOOTSTRAP_REPLICATES` consecutive values for each user, starting
   * with the part's user `from`.
   */
  values = new Uint8Array(0);
  from = 0;

  begin(part: WindowPart, from: number, to: number): void {
    if (part.userKey === undefined) throw new RangeError('the bootstrap needs a key for each user');
    const size = (to - from) * BOOTSTRAP_REPLICATES;
    if (size > this.values.length) {
      this.values = new Uint8Array(size);
    }
    this.from = from;
    for (let s = from; s < to; s++) {
      fillWeights(part.userKey[s], this.values, (s - from) * BOOTSTRAP_REPLICATES);
    }
  }

  observe(): void {}
}

/**
 * Write W(user, b) of all replicates b to `values` from index `at` on.
 *
 * @param key hash of the user's id.
 */
export function fillWeights(key: number, values: Uint8Array, at: number): void {
  poissonOf ??= poissonQuantiles(0x10000);
  // One hash gives two replicates, since its halves are practically independent.
  for (let b = 0; b < BOOTSTRAP_REPLICATES; b += 2) {
    const hash = mixed(key ^ Math.imul(b + 1, 0x9e3779b1));
    values[at + b] = poissonOf[hash & 0xffff];
    values[at + b + 1] = poissonOf[hash >>> 16];
  }
}

/** Hash in which every input bit affects every output bit (MurmurHash3's finalizer, twice). */
function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

/** Quantiles of Poisson(1) at (i + ½) / 2¹⁶, computed on demand. */
let poissonOf: Uint8Array | undefined;

function poissonQuantiles(size: number): Uint8Array {
  const quantiles = new Uint8Array(size);
  let count = 0;
  let chance = Math.exp(-1);
  let below = chance;
  for (let i = 0; i < size; i++) {
    while ((i + 0.5) / size > below) {
      count++;
      chance /= count;
      below += chance;
    }
    quantiles[i] = count;
  }
  return quantiles;
}

/**
 * Ratios of one lane over the replicates of a Poisson bootstrap of users.
 *
 * R_b = Σ_u W(u, b) N_u / Σ_u W(u, b) D_u in replicate b; the standard error is the standard
 * deviation of the R_b. Numerator and denominator are resampled together; with a fixed denominator,
 * a constant gain would have an error. Users are resampled instead of rows because rows of a user
 * depend on each other. Source: Efron & Tibshirani 1993, with Poisson weights for the multinomial
 * ones. O(users × B) for each slot.
 */
export class BootstrapReplicates implements UserSumsObserver {
  readonly #weights: BootstrapWeights;
  readonly #numerators: Float64Array[];
  readonly #denominators: Float64Array[];

  /** @param weights filled for each chunk before this observer is called. */
  constructor(weights: BootstrapWeights, slots: number) {
    this.#weights = weights;
    const sums = () => new Float64Array(BOOTSTRAP_REPLICATES);
    this.#numerators = Array.from({ length: slots }, sums);
    this.#denominators = Array.from({ length: slots }, sums);
  }

  begin(): void {}

  observe(
    slot: number,
    numerators: Float64Array,
    { values }: Denominators,
    selection: Selection,
  ): void {
    this.#add(this.#numerators[slot], numerators, selection);
    this.#add(this.#denominators[slot], values, selection);
  }

  /** R_b of every replicate; NaN for a replicate without users of weight. */
  ratios(slot: number): Float64Array {
    return this.#numerators[slot].map((n, b) => n / this.#denominators[slot][b]);
  }

  #add(sums: Float64Array, values: Float64Array, { segment, users }: Selection): void {
    const { values: weights, from } = this.#weights;
    for (let u = 0; u < users; u++) {
      const value = values[u];
      if (value === 0) continue;
      const at = (segment[u] - from) * BOOTSTRAP_REPLICATES;
      for (let b = 0; b < BOOTSTRAP_REPLICATES; b++) {
        sums[b] += value * weights[at + b];
      }
    }
  }
}

/**
 * Standard deviation of the replicates, ignoring NaN.
 *
 * √(Σ (R_b − R̄)² / (B − 1)). @returns NaN for fewer than two.
 */
export function replicateStdErr(ratios: Float64Array): number {
  const known = ratios.filter((ratio) => !Number.isNaN(ratio));
  if (known.length < 2) return Number.NaN;
  const mean = known.reduce((sum, ratio) => sum + ratio, 0) / known.length;
  const squares = known.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0);
  return Math.sqrt(beyondRounding(squares, mean * mean * known.length) / (known.length - 1));
}
