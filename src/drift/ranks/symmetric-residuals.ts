import type { KeptPanes } from './kept-panes.js';

/** A place in the season has a baseline of its own from so many values on, the newest with them. */
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
 * @returns one for each pane, in any unit; NaN where its place has one value only, which says nothing.
 * @example
 * const kept = { value: [1, 3], weight: [1, 1], slot: [0, 0], follows: [0, 1], lastTo: 2 };
 * symmetricResiduals(kept); // [-1.4142135, 1.4142135]
 */
export function symmetricResiduals(kept: KeptPanes): Float64Array {
  const { value, weight } = kept;
  const panes = value.length;
  const slots = baselineSlots(kept);
  const { total, sum, values } = bySlot(kept, slots);
  const residuals = new Float64Array(panes);
  for (let i = 0; i < panes; i++) {
    const s = slots[i];
    const difference = value[i] - sum[s] / total[s];
    const exact = Math.abs(difference) > ROUNDING ? difference : 0;
    const rest = total[s] - weight[i];
    residuals[i] = values[s] < 2 ? Number.NaN : exact * Math.sqrt((weight[i] * total[s]) / rest);
  }
  return residuals;
}

function bySlot({ value, weight }: KeptPanes, slots: Int32Array) {
  let places = 1;
  for (let i = 0; i < slots.length; i++) if (slots[i] >= places) places = slots[i] + 1;
  const total = new Float64Array(places);
  const sum = new Float64Array(places);
  const values = new Int32Array(places);
  for (let i = 0; i < slots.length; i++) {
    const s = slots[i];
    total[s] += weight[i];
    sum[s] += weight[i] * value[i];
    values[s]++;
  }
  return { total, sum, values };
}

/** The places, or one for all while the newest pane's is hardly known. */
function baselineSlots({ slot }: KeptPanes): Int32Array {
  const panes = slot.length;
  let values = 0;
  for (let i = 0; i < panes; i++) if (slot[i] === slot[panes - 1]) values++;
  const slots = new Int32Array(panes);
  if (values >= OWN_BASELINE) for (let i = 0; i < panes; i++) slots[i] = slot[i];
  return slots;
}
