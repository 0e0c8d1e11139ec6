import type { KeptPanes } from './kept-panes.js';

/** A place in the season has a baseline of its own from so many values on, the newest with them. */
const OWN_BASELINE = 3;
/** Values nearer to each other are the same: estimates and indices are of the order of 1. */
const ROUNDING = 1e-12;

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
 * @returns one for each pane; NaN where its place has one value only, which says nothing.
 * @example
 * const kept = { value: [1, 3], weight: [1, 1], slot: [0, 0], follows: [0, 1], lastTo: 2 };
 * symmetricResiduals(kept); // [-1.4142135, 1.4142135]
 */
export function symmetricResiduals(kept: KeptPanes): Float64Array {
  const { value, weight } = kept;
  const panes = value.length;
  const slots = baselineSlots(kept);
  const places = Math.max(...slots) + 1;
  const total = new Float64Array(places);
  const sum = new Float64Array(places);
  const values = new Int32Array(places);
  for (let i = 0; i < panes; i++) {
    total[slots[i]] += weight[i];
    sum[slots[i]] += weight[i] * value[i];
    values[slots[i]]++;
  }
  const residuals = new Float64Array(panes);
  for (let i = 0; i < panes; i++) {
    const s = slots[i];
    const difference = value[i] - sum[s] / total[s];
    const exact = Math.abs(difference) > ROUNDING ? difference : 0;
    const own = Math.sqrt((weight[i] * total[s]) / (total[s] - weight[i]));
    residuals[i] = values[s] < 2 ? Number.NaN : exact * own;
  }
  return residuals;
}

/** The places, or one for all while the newest pane's is hardly known. */
function baselineSlots({ slot }: KeptPanes): readonly number[] {
  const newest = slot[slot.length - 1];
  let values = 0;
  for (const each of slot) if (each === newest) values++;
  return values >= OWN_BASELINE ? slot : slot.map(() => 0);
}
