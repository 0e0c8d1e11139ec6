import { type Evidence, type Excursion, evidenceOf, extend, newExcursion } from './excursion.js';

/** Plain numbers, so that it can be stored as it is. */
export interface CusumState {
  readonly up: Excursion;
  readonly down: Excursion;
}

export function newCusum(): CusumState {
  return { up: newExcursion(), down: newExcursion() };
}

/**
 * Two-sided CUSUM of standard scores.
 *
 * C⁺ = max(0, C⁺ + z − k), C⁻ = max(0, C⁻ − z − k); the score is the larger, and it fires at h.
 * k = 0.5, h = 5: 465 panes to a false alarm in the mean, 10.4 to find a change of one standard
 * deviation. The change is estimated to have begun where the larger sum last left 0.
 * **Source**: Page 1954; Montgomery, Introduction to Statistical Quality Control, for both estimates.
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms. @param allowance k, half the change that is to be found soonest.
 * @example
 * cusum(newCusum(), 3, 0, 0.5).score; // 2.5
 */
export function cusum(state: CusumState, z: number, from: number, allowance: number): Evidence {
  const { up, down } = state;
  extend(up, z - allowance, z, from);
  extend(down, -z - allowance, z, from);
  const larger = up.evidence >= down.evidence ? up : down;
  return evidenceOf(larger.evidence, larger);
}

/**
 * The h at which several CUSUMs together give as many false alarms as one does at `threshold`.
 *
 * h_S = h + ln S / (2k): the mean time to a false alarm grows as e^{2kh}.
 * **Source**: Siegmund 1985 (exponential growth); a union bound over S series.
 *
 * @param series S; less than one counts as one.
 * @example
 * cusumThreshold(5, 0.5, 10); // 7.302585
 */
export function cusumThreshold(threshold: number, allowance: number, series: number): number {
  return threshold + Math.log(Math.max(1, series)) / (2 * allowance);
}
