import { normalUpperQuantile, studentTTail } from '../../estimators/mathematics/distributions.js';

/**
 * State of `seasonalScore` for one series. It consists of plain numbers, so it can be stored
 * directly.
 */
export interface SeasonalScoreState {
  /** State over all values, ignoring their seasonal slots. */
  readonly all: StandardisationState;
  /** State by seasonal slot. */
  readonly places: StandardisationState;
}

/** A value of a series. */
export interface SeasonalValue {
  /** Value, in the units of the series. */
  readonly value: number;
  /** Effective number of observations, > 0; inversely proportional to the variance. */
  readonly weight: number;
  /** Slot of the seasonal period, such as the hour of the week. */
  readonly slot: number;
}

/** Number of earlier values in a seasonal slot from which the slot has its own baseline. */
const OWN_BASELINE = 2;

export function newSeasonalScore(): SeasonalScoreState {
  return {
    all: newStandardisation(),
    places: newStandardisation(),
  };
}

/**
 * Score the next value of a series as standard normal. From the third value of a seasonal slot on,
 * the baseline is that of the slot. Before that it is the mean over all slots, so that the first
 * season is monitored too.
 *
 * Both scores are the recursive residuals of `standardise`, each with its own variance.
 *
 * @param state changed in place. @param learn number of values for training only. @param teaches
 * whether the value updates the baseline.
 * @returns null while the series is in training.
 * @example
 * const state = newSeasonalScore();
 * const values = [1, 2, 3, 2].map((value) => ({ value, weight: 1, slot: value }));
 * values.map((each) => seasonalScore(state, each, 3)); // [null, null, null, 0]
 */
export function seasonalScore(
  state: SeasonalScoreState,
  own: SeasonalValue,
  learn: number,
  teaches = true,
): number | null {
  // Scores are the most expensive step, so only the one that is used is computed.
  const ofPlaceFrom = isPlaceKnown(state, own.slot) ? learn : Number.POSITIVE_INFINITY;
  const ofPlace = standardise(state.places, own, ofPlaceFrom, teaches);
  const ofAllFrom = ofPlace === null ? learn : Number.POSITIVE_INFINITY;
  const ofAll = standardise(
    state.all,
    {
      ...own,
      slot: 0,
    },
    ofAllFrom,
    teaches,
  );
  return ofPlace ?? ofAll;
}

/**
 * Baseline that the next value in a seasonal slot is compared with: the mean, total weight and
 * number of earlier values. Undefined if there are none.
 */
export function baselineOf(
  state: SeasonalScoreState,
  slot: number,
):
  | {
      readonly mean: number;
      readonly weight: number;
      readonly values: number;
    }
  | undefined {
  return isPlaceKnown(state, slot) ? state.places.slots[String(slot)] : state.all.slots['0'];
}

function isPlaceKnown({ places }: SeasonalScoreState, slot: number): boolean {
  return (places.slots[String(slot)]?.values ?? 0) >= OWN_BASELINE;
}

/**
 * State of `standardise` for one series. It consists of plain numbers, so it can be stored
 * directly.
 */
export interface StandardisationState {
  /**
   * Baseline of each seasonal slot: weighted mean of its values, sum of their weights, and their
   * number.
   */
  slots: Record<
    string,
    {
      mean: number;
      weight: number;
      values: number;
    }
  >;
  /** Σ u² of the recursive residuals; σ² = sumSquares / df. */
  sumSquares: number;
  /** Number of recursive residuals. */
  df: number;
  /** Number of values added to the baselines of all slots. */
  values: number;
}

/** Largest difference that counts as rounding; estimates and indices are of the order of 1. */
const ROUNDING = 1e-12;

export function newStandardisation(): StandardisationState {
  return {
    slots: {},
    sumSquares: 0,
    df: 0,
    values: 0,
  };
}

/**
 * Score the next value of a series against its own past, as a standard normal, then add it to the
 * past.
 *
 * Model: x_t = μ_s(t) + ε_t, ε_t ~ N(0, σ² / w_t), s the seasonal slot (such as the hour of the
 * week). u_t = (x_t − m_s) / √(1/w_t + 1/W_s), m_s and W_s mean and total weight of the slot's
 * earlier values; σ̂² = Σ u² / df over the earlier u; z_t = Φ⁻¹(F_df(u_t / σ̂)), F_df Student's
 * distribution function. The u are the recursive residuals of the model. Without a change the z are
 * exactly independent and standard normal, however few values μ and σ are estimated from.
 *
 * With w = 1/SE² the score is (x − baseline)/SE, adjusted for variation beyond the sampling error
 * and for the uncertainty of the baseline.
 * **Source**: Brown, Durbin & Evans 1975 (recursive residuals); Hawkins 1987 (self-starting CUSUM).
 *
 * @param state changed in place. @param learn number of values for training only, at least 3 in any
 * case. @param teaches whether the value updates the baseline.
 * @returns null while the series or its seasonal slot is in training.
 * @example
 * const state = newStandardisation();
 * const values = [1, 2, 3, 2].map((value) => ({ value, weight: 1, slot: 0 }));
 * values.map((each) => standardise(state, each, 3)); // [null, null, null, 0]
 */
export function standardise(
  state: StandardisationState,
  { value, weight, slot }: SeasonalValue,
  learn: number,
  teaches = true,
): number | null {
  const key = String(slot);
  const known = state.slots[key];
  if (teaches) {
    state.values++;
  }
  if (known === undefined) {
    if (teaches) {
      state.slots[key] = {
        mean: value,
        weight,
        values: 1,
      };
    }
    return null;
  }
  const difference = Math.abs(value - known.mean) > ROUNDING ? value - known.mean : 0;
  const residual = difference / Math.sqrt(1 / weight + 1 / known.weight);
  const earlier = state.values - (teaches ? 1 : 0);
  const isKnown = earlier >= learn && state.df >= 2;
  const score = isKnown ? scoreOf(residual, state.sumSquares / state.df, state.df) : null;
  if (!teaches) return score;
  state.sumSquares += residual * residual;
  state.df++;
  known.weight += weight;
  known.values++;
  known.mean += (weight / known.weight) * (value - known.mean);
  return score;
}

function scoreOf(residual: number, variance: number, df: number): number {
  if (residual === 0) return 0;
  // If the series has never varied, any change is significant.
  const tail = variance > 0 ? studentTTail(Math.abs(residual) / Math.sqrt(variance), df) / 2 : 0;
  return Math.sign(residual) * normalUpperQuantile(tail);
}
