/** Unit of a position's weight: its item, its slot, all positions down to it, or the whole list. */
export type LoggedUnit = 'item' | 'slot' | 'prefix' | 'list';

/** Sums over the positions of logged lists, for one unit. Index is cluster · places + rank; 8 bytes per number. */
export class LoggedSums {
  readonly places: number;
  readonly clusters: number;
  /** Number of requests by cluster. */
  readonly requests: Float64Array;
  /** Σ w c, Σ w and Σ w q̂: w the weight, c the reward, q̂ its prediction. */
  readonly weighted: Float64Array;
  readonly weights: Float64Array;
  readonly predicted: Float64Array;
  /** Σ v b and Σ v: b the expected reward of the target's item, v the weight of the items above it. */
  readonly baseline: Float64Array;
  readonly before: Float64Array;
  /** Σ ŵ (c − q̂), ŵ = λ w / (w² + λ). */
  readonly shrunk: Float64Array;
  /** Number of shown positions. */
  readonly shown: Float64Array;
  /**
   * Over rewarded positions: Σ |cw|, that of negative rewards, and Σ (cw)²; over all positions (for
   * `list`, over requests): Σ w, Σ w², largest w.
   */
  rewardSum = 0;
  lossSum = 0;
  rewardSquares = 0;
  weightSum = 0;
  weightSquares = 0;
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
