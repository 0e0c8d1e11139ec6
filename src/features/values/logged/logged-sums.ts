/**
 * What a position's weight covers: its item, its slot, the positions from the top down to it
 * (`prefix`), or the whole list.
 */
export type LoggedUnit = 'item' | 'slot' | 'prefix' | 'list';

/** Sums over the positions of logged lists, for one unit. Index is cluster · places + rank; 8 bytes per number. */
export class LoggedSums {
  readonly places: number;
  readonly clusters: number;
  /** Number of requests by cluster. */
  readonly requests: Float64Array;
  /** Σ w c, with w the weight and c the reward of a position. */
  readonly weighted: Float64Array;
  /** Σ w, with w the weight of a position. */
  readonly weights: Float64Array;
  /** Σ w q̂, with q̂ the predicted reward of the shown item. */
  readonly predicted: Float64Array;
  /**
   * Σ v b, with b the expected reward of the target's item and v the weight of the items above it.
   */
  readonly baseline: Float64Array;
  /** Σ v, with v the weight of the items above a position. */
  readonly before: Float64Array;
  /** Σ ŵ (c − q̂), with the shrunk weight ŵ = λ w / (w² + λ). */
  readonly shrunk: Float64Array;
  /** Number of shown positions. */
  readonly shown: Float64Array;
  /** Σ |cw|, absolute weighted rewards over all positions. */
  rewardSum = 0;
  /** Σ |cw| over positions with a negative reward. */
  lossSum = 0;
  /** Σ (cw)², squared weighted rewards over all positions. */
  rewardSquares = 0;
  /** Σ w, weights over all positions, or over requests for `list`. */
  weightSum = 0;
  /** Σ w², squared weights over all positions, or over requests for `list`. */
  weightSquares = 0;
  /** The largest weight of a position, or of a request for `list`. */
  largest = 0;

  constructor(places: number, clusters: number) {
    this.places = places;
    this.clusters = clusters;
    const cells = places * clusters;
    this.requests = new Float64Array(clusters);
    this.weighted = new Float64Array(cells);
    this.weights = new Float64Array(cells);
    this.predicted = new Float64Array(cells);
    this.baseline = new Float64Array(cells);
    this.before = new Float64Array(cells);
    this.shrunk = new Float64Array(cells);
    this.shown = new Float64Array(cells);
  }
}
