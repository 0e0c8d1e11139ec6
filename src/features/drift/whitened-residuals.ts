/** One value beyond this many standard deviations says no more about the correlation. */
const CLIP = 4;
/** This many panes without correlation are taken as seen, which keeps the first estimates near 0. */
const PRIOR_PANES = 10;
const LARGEST = 0.9;
/** A correlation within this many standard errors of 0 is none. */
const NOTICEABLE = 2;

/** Residuals that do not hang together, and their scale. */
export interface WhitenedResiduals {
  /** NaN where there is none. */
  readonly values: Float64Array;
  /** Root mean square of the residuals that went in. */
  readonly scale: number;
}

/**
 * Takes out of each residual what the one before it foretold.
 *
 * e_i = (u_i − φ u_{i−1}) / √(1 − φ²), φ = Σ v_i v_{i−1} / (10 + Σ v²_{i−1}) over neighbouring
 * panes, v = u / sd within ±4; φ within ±0.9, and 0 where |φ| < 2/√n. A residual whose pane does
 * not follow the one before stays as it is.
 * **Source**: Cochrane & Orcutt 1949 (the transformation); clip, prior and the cut at two standard
 * errors are own.
 *
 * @param residuals NaN if there is none. @param follows 1 if a pane follows the one before.
 * @param into where the values go, if any change; a new array if it is not given.
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
  if (phi === 0) return { values: residuals, scale };
  const spread = Math.sqrt(1 - phi * phi);
  let before = Number.NaN;
  for (let i = 0; i < residuals.length; i++) {
    const now = residuals[i];
    const isForetold = follows[i] === 1 && !Number.isNaN(before);
    into[i] = isForetold ? (now - phi * before) / spread : now;
    before = now;
  }
  return { values: into, scale };
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
