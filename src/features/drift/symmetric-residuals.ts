import type { KeptPanes } from './kept-panes.js';

/** A place in the season has a baseline of its own from this many values on, the newest with them. */
const OWN_BASELINE = 3;
/** Whole numbers nearer to each other than this are the same, and differ by their mean's rounding. */
const ROUNDING = 1e-3;

/**
 * Residuals of all panes against the means of their places in the season, the newest pane treated
 * as every other.
 *
 * u_i = (x_i − m_s) √w_i / √(1 − w_i / W_s), m_s and W_s weighted mean and total weight of the place
 * s, the newest value in them. Under x_i = μ_s + ε_i, ε_i of variance σ²/w_i, every u_i has the
 * variance σ², and none is set apart by being the newest: without a change its rank is uniform.
 * Until the newest pane's place has three values all places count as one.
 * **Source**: studentised residuals, Cook & Weisberg 1982; Vovk, Gammerman & Shafer 2005 (the
 * symmetry that conformal ranks rest on).
 *
 * @param kept at least one pane, the newest last. O(panes).
 * @param into where they go: one for each pane; a new array if it is not given.
 * @returns one for each pane, in any unit; NaN if its place has one value only, which says nothing.
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
  if (!hasOwnBaseline(slot)) residualsOfOne(kept, into);
  else {
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

/** All places as one. */
function residualsOfOne({ value, weight }: KeptPanes, into: Float64Array): void {
  const panes = value.length;
  let total = 0;
  let sum = 0;
  for (let i = 0; i < panes; i++) {
    total += weight[i];
    sum += weight[i] * value[i];
  }
  const mean = sum / total;
  for (let i = 0; i < panes; i++) into[i] = residual(value[i], weight[i], mean, total);
  if (panes < 2) into.fill(Number.NaN);
}

/** Sums of the places of one series, used again for the next: a week has 168. */
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
  for (let i = 0; i < slot.length; i++) if (slot[i] > last) last = slot[i];
  if (last >= places.total.length) places = sumsOf(last + 1);
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

/** Whether the newest pane's place is known enough. */
function hasOwnBaseline(slot: readonly number[]): boolean {
  const newest = slot[slot.length - 1];
  let values = 0;
  for (let i = 0; i < slot.length; i++) if (slot[i] === newest) values++;
  return values >= OWN_BASELINE;
}
