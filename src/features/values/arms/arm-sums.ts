/** Dimensions of the sums. */
export interface ArmSumsShape {
  readonly strata: number;
  readonly arms: number;
  readonly clusters: number;
  /** Number of evaluated models: columns of ranks. */
  readonly models: number;
  /** Number of examined ranks, the length of θ. */
  readonly ranks: number;
}

/**
 * Sums over requests from which values are estimated.
 *
 * A cell is (stratum · arms + arm) · clusters + cluster; values by model and cell have index model
 * · cells + cell. 8 bytes per number, 4 + 4 · models numbers per cell.
 */
export class ArmSums {
  readonly shape: ArmSumsShape;
  readonly cells: number;
  /** By cell: Q, number of requests. */
  readonly requests: Float64Array;
  /** By cell: requests whose lists are known; C, T and `listed` are sums over these. */
  readonly listedRequests: Float64Array;
  /** By cell: Σ c, reward of the requests. */
  readonly reward: Float64Array;
  /** By cell: pairs of rewarded items in a request. */
  readonly clickPairs: Float64Array;
  /** By model and cell: Σ X, rewards weighted for the model; see `weighArms`. */
  readonly weighted: Float64Array;
  /** By model and cell: Σ C, what was shown of the model's lists; see `weighArms`. */
  readonly control: Float64Array;
  /** By model and cell: Σ T, supported part of the model's lists; see `weighArms`. */
  readonly target: Float64Array;
  /** By model and cell: sum for the doubly robust form, see `weighArms`. */
  readonly doubly: Float64Array;
  /** By model: Σ θ of its lists. */
  readonly listed: Float64Array;
  /** By model: Σ cw, the weighted rewards of rows. */
  readonly rowWeights: Float64Array;
  /** By model: Σ (cw)², squared weighted rewards of rows. */
  readonly rowSquares: Float64Array;
  /** By model: the largest weighted reward cw of a row. */
  readonly largest: Float64Array;
  /**
   * By model and rank k: derivatives of `weighted`, `control`, `target` and `doubly` by log θ_k.
   */
  readonly weightedSlope: Float64Array;
  readonly controlSlope: Float64Array;
  readonly targetSlope: Float64Array;
  readonly doublySlope: Float64Array;
  /** By stratum and arm: Σ |c|, absolute rewards of rows. */
  readonly rewardSums: Float64Array;
  /** By stratum and arm: Σ |c| of rows with a negative reward. */
  readonly lossSums: Float64Array;
  /** By stratum and arm: Σ c², squared rewards of rows. */
  readonly rewardSquares: Float64Array;
  /** By arm and rank: number of rewarded items. */
  readonly clicksByRank: Float64Array;

  constructor(shape: ArmSumsShape) {
    const { strata, arms, clusters, models, ranks } = shape;
    this.shape = shape;
    this.cells = strata * arms * clusters;
    const column = (length: number) => new Float64Array(length);
    this.requests = column(this.cells);
    this.listedRequests = column(this.cells);
    this.reward = column(this.cells);
    this.clickPairs = column(this.cells);
    this.weighted = column(models * this.cells);
    this.control = column(models * this.cells);
    this.target = column(models * this.cells);
    this.doubly = column(models * this.cells);
    this.listed = column(models);
    this.rowWeights = column(models);
    this.rowSquares = column(models);
    this.largest = column(models);
    this.weightedSlope = column(models * ranks);
    this.controlSlope = column(models * ranks);
    this.targetSlope = column(models * ranks);
    this.doublySlope = column(models * ranks);
    this.rewardSums = column(strata * arms);
    this.lossSums = column(strata * arms);
    this.rewardSquares = column(strata * arms);
    this.clicksByRank = column(arms * ranks);
  }
}
