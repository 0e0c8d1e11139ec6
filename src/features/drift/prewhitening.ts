import type { Pane } from './reading.js';

/** State of `prewhiten`. Plain numbers, so it can be stored directly. */
export interface PrewhiteningState {
  /** Σ r_t r_{t−1} and Σ r²_{t−1} over neighbouring panes. */
  cross: number;
  squares: number;
  /** The last score and the end of its pane, ms; null before the first. */
  last: number | null;
  lastAt: number;
}

/** Number of panes without correlation in the prior, which shrinks the first estimates to 0. */
const PRIOR_PANES = 10;
const LARGEST = 0.9;

export function newPrewhitening(): PrewhiteningState {
  return {
    cross: 0,
    squares: 0,
    last: null,
    lastAt: 0,
  };
}

/** How a score updates the state. */
interface Taught {
  /** Whether the score updates the state. */
  readonly teaches?: boolean;
  /**
   * Largest absolute score in φ and in the prediction; larger ones are clipped, so that a large
   * change does not count as correlation.
   */
  readonly within?: number;
}

/**
 * Remove from a score what the previous score predicts.
 *
 * z_t = (r_t − φ r_{t−1}) / √(1 − φ²), φ = Σ r r₋₁ / (10 + Σ r₋₁²) over the panes before t, within
 * ±0.9. Correlated scores raise far more false alarms than guaranteed; the z of an AR(1) series are
 * uncorrelated.
 * **Source**: Cochrane & Orcutt 1949 (the transformation); the prior is our own.
 *
 * @param state changed in place. @param score r_t, standard normal without a change. @param pane
 * pane of the score; if it does not directly follow the previous one, the score is returned
 * unchanged.
 * @returns z_t, in standard deviations.
 * @example
 * prewhiten(newPrewhitening(), 1.5, { from: 0, to: 60_000 }); // 1.5
 */
export function prewhiten(
  state: PrewhiteningState,
  score: number,
  { from, to }: Pick<Pane, 'from' | 'to'>,
  { teaches = true, within = Number.POSITIVE_INFINITY }: Taught = {},
): number {
  const { last } = state;
  const seen = Math.max(-within, Math.min(within, score));
  const follows = last !== null && state.lastAt === from;
  let white = score;
  if (follows) {
    const phi = correlation(state);
    white = (score - phi * last) / Math.sqrt(1 - phi * phi);
    if (teaches) {
      state.cross += seen * last;
      state.squares += last * last;
    }
  }
  if (teaches) {
    state.last = seen;
    state.lastAt = to;
  }
  return white;
}

function correlation({ cross, squares }: PrewhiteningState): number {
  return Math.max(-LARGEST, Math.min(LARGEST, cross / (PRIOR_PANES + squares)));
}
