import type { Pane } from './reading.js';

/**
 * State of `prewhiten` for one series. It consists of plain numbers, so it can be stored directly.
 */
export interface PrewhiteningState {
  /** Σ r_t r_{t−1} over neighbouring panes, with the standardised score r_t of pane t. */
  cross: number;
  /** Σ r²_{t−1} over neighbouring panes, with the standardised score r_t of pane t. */
  squares: number;
  /** Score of the last pane; null before the first. */
  last: number | null;
  /** End of the last pane, event time, ms. */
  lastAt: number;
}

/**
 * Weight of the prior, in panes without autocorrelation: it shrinks early estimates of φ towards 0.
 */
const PRIOR_PANES = 10;
/** Largest absolute value of φ. */
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
   * Largest absolute value of a score in the estimate of φ and in the prediction. Larger scores are
   * clipped to this value, so that a large change does not count as autocorrelation.
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
