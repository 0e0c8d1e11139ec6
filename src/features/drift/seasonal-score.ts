import { newStandardisation, type StandardisationState, standardise } from './standardisation.js';

/** Plain numbers, so that it can be stored as it is. */
export interface SeasonalScoreState {
  /** Against all values, whatever their place in the season. */
  readonly all: StandardisationState;
  /** Against those of the same place. */
  readonly places: StandardisationState;
}

/** Earlier values that a place in the season needs for a baseline of its own. */
const OWN_BASELINE = 2;

export function newSeasonalScore(): SeasonalScoreState {
  return { all: newStandardisation(), places: newStandardisation() };
}

/**
 * The next value of a series as a standard normal score: against its place in the season from that
 * place's third value on, before it against all values, so that the first season is watched too.
 *
 * Both are the recursive residuals of `standardise`, each with a variance of its own.
 *
 * @param state changed in place. @param weight effective number of observations.
 * @param slot place in the season. @param learn values that only teach.
 * @param teaches whether the value joins the past.
 * @returns null while the series is not known enough.
 * @example
 * const state = newSeasonalScore();
 * [1, 2, 3, 2].map((x) => seasonalScore(state, x, 1, x, 3)); // [null, null, null, 0]
 */
export function seasonalScore(
  state: SeasonalScoreState,
  value: number,
  weight: number,
  slot: number,
  learn: number,
  teaches = true,
): number | null {
  // What is not asked for is only taught: scores cost most.
  const ofPlaceFrom = isPlaceKnown(state, slot) ? learn : Number.POSITIVE_INFINITY;
  const ofPlace = standardise(state.places, value, weight, slot, ofPlaceFrom, teaches);
  const ofAllFrom = ofPlace === null ? learn : Number.POSITIVE_INFINITY;
  const ofAll = standardise(state.all, value, weight, 0, ofAllFrom, teaches);
  return ofPlace ?? ofAll;
}

/** Mean, weight and number of the values that a place's next one is scored against; undefined for none. */
export function baselineOf(
  state: SeasonalScoreState,
  slot: number,
): { readonly mean: number; readonly weight: number; readonly values: number } | undefined {
  return isPlaceKnown(state, slot) ? state.places.slots[String(slot)] : state.all.slots['0'];
}

function isPlaceKnown({ places }: SeasonalScoreState, slot: number): boolean {
  return (places.slots[String(slot)]?.values ?? 0) >= OWN_BASELINE;
}
