import type { KeptPanes } from './kept-panes.js';

/**
 * Values are clipped to this absolute value when autocorrelation is estimated, in standard
 * deviations.
 */
const CLIP = 4;
/**
 * Weight of the prior, in panes without autocorrelation: it shrinks early estimates of φ towards 0.
 */
const PRIOR_PANES = 10;
/** Largest absolute value of φ. */
const LARGEST = 0.9;
/** Autocorrelations within this many standard errors of 0 count as 0. */
const NOTICEABLE = 2;

/** Residuals without autocorrelation, and their scale. */
export interface WhitenedResiduals {
  /** NaN for a pane without a residual. */
  readonly values: Float64Array;
  /** Root mean square of the residuals before whitening. */
  readonly scale: number;
}

/**
 * Remove from each residual what the previous residual predicts.
 *
 * e_i = (u_i − φ u_{i−1}) / √(1 − φ²), φ = Σ v_i v_{i−1} / (10 + Σ v²_{i−1}) over consecutive
 * panes, v = u / sd within ±4; φ within ±0.9, and 0 if |φ| < 2/√n. A residual whose pane does not
 * directly follow the previous one is unchanged.
 * **Source**: Cochrane & Orcutt 1949 (the transformation); the clip, the prior and the cut at two
 * standard errors are our own.
 *
 * @param residuals residual by pane, NaN if there is none. @param follows 1 if a pane directly
 * follows the previous one.
 * @param into array for the values, used only if some change; by default a new array.
 * @example
 * whitened(Float64Array.of(1, -1, 1), [0, 1, 1]).values; // [1, -1, 1]: φ is not noticeable
 */
export function whitened(
  residuals: Float64Array,
  follows: readonly number[],
  into: Float64Array = new Float64Array(residuals.length),
): WhitenedResiduals {
  let squares = 0;
  let count = 0;
  for (let i = 0; i < residuals.length; i++) {
    const u = residuals[i];
    if (Number.isNaN(u)) continue;
    squares += u * u;
    count++;
  }
  const scale = count === 0 ? 0 : Math.sqrt(squares / count);
  const phi = scale === 0 ? 0 : correlation(residuals, follows, scale, count);
  if (phi === 0) {
    return {
      values: residuals,
      scale,
    };
  }
  const spread = Math.sqrt(1 - phi * phi);
  let before = Number.NaN;
  for (let i = 0; i < residuals.length; i++) {
    const now = residuals[i];
    const isForetold = follows[i] === 1 && !Number.isNaN(before);
    into[i] = isForetold ? (now - phi * before) / spread : now;
    before = now;
  }
  return {
    values: into,
    scale,
  };
}

function correlation(
  residuals: Float64Array,
  follows: readonly number[],
  scale: number,
  count: number,
): number {
  let cross = 0;
  let squares = PRIOR_PANES;
  let before = Number.NaN;
  for (let i = 0; i < residuals.length; i++) {
    const now = clipped(residuals[i] / scale);
    if (follows[i] === 1 && !Number.isNaN(before) && !Number.isNaN(now)) {
      cross += before * now;
      squares += before * before;
    }
    before = now;
  }
  const phi = Math.max(-LARGEST, Math.min(LARGEST, cross / squares));
  return Math.abs(phi) < NOTICEABLE / Math.sqrt(count) ? 0 : phi;
}

function clipped(v: number): number {
  if (v > CLIP) return CLIP;
  return v < -CLIP ? -CLIP : v;
}

/** Number of values, including the newest, from which a seasonal slot has its own baseline. */
const OWN_BASELINE = 3;
/**
 * Largest absolute difference from the mean that counts as rounding; values are stored as integers.
 */
const ROUNDING = 1e-3;

/**
 * Residuals of all panes against the means of their seasonal slots. The newest pane is treated like
 * every other.
 *
 * u_i = (x_i − m_s) √w_i / √(1 − w_i / W_s), m_s and W_s weighted mean and total weight of slot s,
 * including the newest value. Under x_i = μ_s + ε_i, ε_i of variance σ²/w_i, every u_i has the
 * variance σ², and the newest is not distinguished: without a change its rank is uniform. Until the
 * newest pane's slot has three values, all slots count as one.
 * **Source**: studentised residuals, Cook & Weisberg 1982; Vovk, Gammerman & Shafer 2005 (the
 * symmetry behind conformal ranks).
 *
 * @param kept at least one pane, the newest last. O(panes).
 * @param into array for the residuals, one per pane; by default a new array.
 * @returns one residual per pane, in any unit; NaN if the pane's slot has only one value.
 * @example
 * const kept = { value: [1, 3], weight: [1, 1], slot: [0, 0], follows: [0, 1], lastTo: 2 };
 * symmetricResiduals(kept); // [-1.4142135, 1.4142135]
 */
export function symmetricResiduals(
  kept: KeptPanes,
  into: Float64Array = new Float64Array(kept.value.length),
): Float64Array {
  const { value, weight, slot } = kept;
  const panes = value.length;
  if (!hasOwnBaseline(slot)) {
    residualsOfOne(kept, into);
  } else {
    const { total, sum, values } = bySlot(kept);
    for (let i = 0; i < panes; i++) {
      const s = slot[i];
      const of = residual(value[i], weight[i], sum[s] / total[s], total[s]);
      into[i] = values[s] < 2 ? Number.NaN : of;
    }
  }
  return into;
}

function residual(value: number, weight: number, mean: number, total: number): number {
  const difference = value - mean;
  if (!(Math.abs(difference) > ROUNDING)) return 0;
  return difference * Math.sqrt((weight * total) / (total - weight));
}

/** Residuals against the mean over all slots. */
function residualsOfOne({ value, weight }: KeptPanes, into: Float64Array): void {
  const panes = value.length;
  let total = 0;
  let sum = 0;
  for (let i = 0; i < panes; i++) {
    total += weight[i];
    sum += weight[i] * value[i];
  }
  const mean = sum / total;
  for (let i = 0; i < panes; i++) {
    into[i] = residual(value[i], weight[i], mean, total);
  }
  if (panes < 2) {
    into.fill(Number.NaN);
  }
}

/** Sums by seasonal slot, reused from series to series. A week has 168 slots of an hour. */
let places = sumsOf(168);

function sumsOf(size: number) {
  return {
    total: new Float64Array(size),
    sum: new Float64Array(size),
    values: new Int32Array(size),
  };
}

function bySlot({ value, weight, slot }: KeptPanes) {
  let last = 0;
  for (let i = 0; i < slot.length; i++) {
    if (slot[i] > last) {
      last = slot[i];
    }
  }
  if (last >= places.total.length) {
    places = sumsOf(last + 1);
  }
  const { total, sum, values } = places;
  total.fill(0);
  sum.fill(0);
  values.fill(0);
  for (let i = 0; i < slot.length; i++) {
    const s = slot[i];
    total[s] += weight[i];
    sum[s] += weight[i] * value[i];
    values[s]++;
  }
  return places;
}

/** Whether the newest pane's slot has enough values for its own baseline. */
function hasOwnBaseline(slot: readonly number[]): boolean {
  const newest = slot[slot.length - 1];
  let values = 0;
  for (let i = 0; i < slot.length; i++) {
    if (slot[i] === newest) {
      values++;
    }
  }
  return values >= OWN_BASELINE;
}
