import { normalUpperQuantile, studentTTail } from '../../estimators/mathematics/distributions.js';

/** Plain numbers, so that it can be stored as it is. */
export interface SeasonalScoreState {
  /** Against all values, whatever their place in the season. */
  readonly all: StandardisationState;
  /** Against those of the same place. */
  readonly places: StandardisationState;
}

/** A value of a series. */
export interface SeasonalValue {
  /** In units of the series. */
  readonly value: number;
  /** Effective number of observations, > 0: in inverse proportion to the variance. */
  readonly weight: number;
  /** Place in the season. */
  readonly slot: number;
}

/** Earlier values that a place in the season needs for a baseline of its own. */
const OWN_BASELINE = 2;

export function newSeasonalScore(): SeasonalScoreState {
  return {
    all: newStandardisation(),
    places: newStandardisation(),
  };
}

/**
 * The next value of a series as a standard normal score: against its place in the season from that
 * place's third value on, before it against all values, so that the first season is watched too.
 *
 * Both are the recursive residuals of `standardise`, each with a variance of its own.
 *
 * @param state changed in place. @param learn values that only teach. @param teaches whether the
 * value joins the past.
 * @returns null while the series is not known enough.
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
  // What is not asked for is only taught: scores cost most.
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
 * Mean, weight and number of the values that the next value of a season's slot is compared with;
 * undefined if there are none.
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

/** What is known of a series so far. Plain numbers, so that it can be stored as it is. */
export interface StandardisationState {
  /** By place in the season: the weighted mean of the values and the sum of their weights. */
  slots: Record<
    string,
    {
      mean: number;
      weight: number;
      values: number;
    }
  >;
  /** Σ u² of the recursive residuals, and their number: σ² = sumSquares / df. */
  sumSquares: number;
  df: number;
  /** Values taken in. */
  values: number;
}

/** Values nearer to each other are the same: estimates and indices are of the order of 1. */
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
 * Model: x_t = μ_s(t) + ε_t, ε_t ~ N(0, σ² / w_t), s the place in the season (the hour of the week).
 * u_t = (x_t − m_s) / √(1/w_t + 1/W_s), m_s and W_s mean and weight of the place's earlier values;
 * σ̂² = Σ u² / df over the earlier u; z_t = Φ⁻¹(F_df(u_t / σ̂)), F_df Student's distribution function.
 * The u are the recursive residuals of the model: without a change the z are exactly independent and
 * standard normal, however few values μ and σ are known from.
 *
 * With w = 1/SE² the score is (x − baseline)/SE, scaled by how much more the series varies than its
 * sampling error, and by the uncertainty of the baseline.
 * **Source**: Brown, Durbin & Evans 1975 (recursive residuals); Hawkins 1987 (self-starting CUSUM).
 *
 * @param state changed in place. @param learn values that only teach; at least 3 are needed in any
 * case. @param teaches whether the value joins the past.
 * @returns null while the series, or its place in the season, is not known enough.
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
  // If nothing ever varied, any change is beyond doubt.
  const tail = variance > 0 ? studentTTail(Math.abs(residual) / Math.sqrt(variance), df) / 2 : 0;
  return Math.sign(residual) * normalUpperQuantile(tail);
}
