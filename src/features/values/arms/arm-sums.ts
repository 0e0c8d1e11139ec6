import { NumberedSums } from '../../../estimators/partitions/rounds.js';
import { passColumns } from '../../../estimators/partitions/sparse-columns.js';
import type { NumberCodec } from '../../../state/binary/numbers.js';

const SHAPE = 0x6172_6d73;

/** How many there are of what sums are kept by. */
export interface ArmSumsShape {
  readonly strata: number;
  readonly arms: number;
  readonly clusters: number;
  /** Lists that are valued: columns of ranks. */
  readonly models: number;
  /** Ranks that are looked at: θ's length. */
  readonly ranks: number;
}

/** Sums over requests that add up by cell; see the fields of `ArmSums`. */
const BY_CELL = ['requests', 'listedRequests', 'reward', 'clicks', 'clickPairs'] as const;
const BY_MODEL_AND_CELL = ['weighted', 'control', 'target', 'doubly'] as const;
const BY_MODEL = ['listed', 'rowWeights', 'rowSquares'] as const;
const BY_MODEL_AND_RANK = ['weightedSlope', 'controlSlope', 'targetSlope', 'doublySlope'] as const;
const BY_ARM = ['rewardSquares', 'rewardSums', 'lossSums'] as const;

/**
 * What estimates of value are made from: sums over requests, which add up over disjoint requests.
 *
 * A cell is (stratum · arms + arm) · clusters + cluster; what is kept by model and cell stands at
 * model · cells + cell. 8 bytes a number, 5 + 4 · models numbers a cell.
 */
export class ArmSums extends NumberedSums<ArmSums> {
  readonly shape: ArmSumsShape;
  readonly cells: number;
  /** By cell. Q, requests; Σ c, their reward; rewarded items, and pairs of them in a request. */
  readonly requests: Float64Array;
  /** Those of them whose lists are there: C, T and what is listed are of these. */
  readonly listedRequests: Float64Array;
  readonly reward: Float64Array;
  readonly clicks: Float64Array;
  readonly clickPairs: Float64Array;
  /** By model and cell: Σ X, Σ C, Σ T, and the doubly robust sum; `weighArms` says of what. */
  readonly weighted: Float64Array;
  readonly control: Float64Array;
  readonly target: Float64Array;
  readonly doubly: Float64Array;
  /** By model: Σ θ of its lists; over rewarded rows Σ cw, Σ (cw)² and the largest cw. */
  readonly listed: Float64Array;
  readonly rowWeights: Float64Array;
  readonly rowSquares: Float64Array;
  readonly largest: Float64Array;
  /** By model and rank k: derivatives of the four sums by log θ_k. */
  readonly weightedSlope: Float64Array;
  readonly controlSlope: Float64Array;
  readonly targetSlope: Float64Array;
  readonly doublySlope: Float64Array;
  /** By stratum and arm, over rewarded rows: Σ |c|, that of losses alone, and Σ c². */
  readonly rewardSums: Float64Array;
  readonly lossSums: Float64Array;
  readonly rewardSquares: Float64Array;
  /** By arm and rank: rewarded items. */
  readonly clicksByRank: Float64Array;
  /** Rewards of items that do not stand in the served list: they count for nothing. */
  strayRewards = 0;

  constructor(shape: ArmSumsShape) {
    super(SHAPE);
    const { strata, arms, clusters, models, ranks } = shape;
    this.shape = shape;
    this.cells = strata * arms * clusters;
    const column = (length: number) => new Float64Array(length);
    this.requests = column(this.cells);
    this.listedRequests = column(this.cells);
    this.reward = column(this.cells);
    this.clicks = column(this.cells);
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

  ofOthers(): ArmSums {
    return new ArmSums(this.shape);
  }

  /** Adds the sums of other requests, of the same shape, strata, shares and θ. */
  merge(other: ArmSums): void {
    const theirs = other.#added();
    for (const [c, own] of this.#added().entries()) {
      for (let i = 0; i < own.length; i++) own[i] += theirs[c][i];
    }
    for (let m = 0; m < this.largest.length; m++) {
      this.largest[m] = Math.max(this.largest[m], other.largest[m]);
    }
    this.strayRewards += other.strayRewards;
  }

  pass(through: NumberCodec): void {
    passColumns(through, [...this.#added(), this.largest]);
    this.strayRewards = through.number(this.strayRewards);
  }

  #added(): readonly Float64Array[] {
    const names = [...BY_CELL, ...BY_MODEL_AND_CELL, ...BY_MODEL, ...BY_MODEL_AND_RANK, ...BY_ARM];
    return [...names.map((name) => this[name]), this.clicksByRank];
  }
}
