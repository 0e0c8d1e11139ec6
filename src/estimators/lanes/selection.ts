import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_CANDIDATES_UNSTATED,
  LIST_FULL,
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { StratumSums } from './stratum-sums.js';

/**
 * Whether a list ranks all its candidates; if their number is not stated, they are the catalogue.
 */
function ranksAllCandidates(list: number, catalogueSize: number): boolean {
  const candidates = list & LIST_SAMPLED_FULL;
  if (candidates === LIST_FULL || candidates === LIST_SAMPLED_FULL) return true;
  return candidates === LIST_CANDIDATES_UNSTATED && (list & LIST_LENGTH_MASK) >= catalogueSize;
}

/**
 * Largest number of candidates over the lists of some rows; Infinity if a list does not rank all
 * its candidates.
 */
export class MostCandidates {
  most = 0;
  readonly #catalogueSize: number;

  constructor(catalogueSize: number) {
    this.#catalogueSize = catalogueSize;
  }

  /** Add the rows of a chunk, with the list codes of their part. */
  take(
    {
      row,
      rows,
    }: {
      readonly row: Int32Array;
      readonly rows: number;
    },
    lists: Uint16Array,
  ): void {
    // One truncated list decides it, and most logs have one among the first rows.
    for (let i = 0; i < rows && this.most < Number.POSITIVE_INFINITY; i++) {
      const list = lists[row[i]];
      if (!ranksAllCandidates(list, this.#catalogueSize)) {
        this.most = Number.POSITIVE_INFINITY;
      } else {
        this.most = Math.max(this.most, list & LIST_LENGTH_MASK);
      }
    }
  }
}

/**
 * Family of metrics that accept the same lists. `complete`: only lists that rank all their
 * candidates; `ranked`: all lists except those of a sampled candidate set.
 */
export type Family = 'ranked' | 'complete';

/** Identity of a lane: the index of the model whose lists it uses, and the family of metrics. */
export interface LaneKey {
  readonly model: number;
  readonly family: Family;
}

/** Columns by item that every row looks up. */
export interface ItemColumns {
  /** Importance weight; 0 leaves the item's rows out. */
  readonly weight: Float64Array;
  /** ∂w/∂γ. */
  readonly weightSlope: Float64Array;
  readonly stratum: Uint16Array;
  /** Level of popularity of each item and count of each level, if sums by level are needed. */
  readonly levels?: {
    readonly ofItem: Int32Array;
    readonly counts: Float64Array;
  };
}

/**
 * Columns of the rows of a few consecutive users, the input of weighting rules. User u has rows
 * start[u] to start[u + 1] − 1; users without a row do not appear.
 */
export class Selection {
  users = 0;
  rows = 0;
  start = new Int32Array(0);
  /** The part that contains the rows. */
  part: WindowPart | undefined;
  /** User segment in the part, for each user of the selection. */
  segment = new Int32Array(0);
  /** Row number in the part, for each row of the selection. */
  row = new Int32Array(0);
  item = new Int32Array(0);
  weight = new Float64Array(0);
  weightSlope = new Float64Array(0);
  stratum = new Uint16Array(0);
  /** 1 if some model gives the row a gain, so that its coefficient is needed. */
  gainful = new Uint8Array(0);
  /** Sums by stratum over the whole window, if an estimator needs them. */
  strata = new StratumSums(0);

  reserve(rows: number): void {
    if (rows <= this.row.length) return;
    this.start = new Int32Array(rows + 1);
    this.segment = new Int32Array(rows);
    this.row = new Int32Array(rows);
    this.item = new Int32Array(rows);
    this.weight = new Float64Array(rows);
    this.weightSlope = new Float64Array(rows);
    this.stratum = new Uint16Array(rows);
    this.gainful = new Uint8Array(rows);
  }

  /**
   * Take the positive rows of user segments `from` to `to` − 1 whose items have a weight above 0.
   */
  takePositive(part: WindowPart, from: number, to: number, weights: Float64Array): void {
    this.reserve(part.userStart[to] - part.userStart[from]);
    this.part = part;
    const { positive, item, userStart } = part;
    let rows = 0;
    let users = 0;
    for (let s = from; s < to; s++) {
      const first = rows;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0) continue;
        const weight = weights[item[r]];
        if (weight === 0) continue;
        this.row[rows] = r;
        this.item[rows] = item[r];
        this.weight[rows] = weight;
        rows++;
      }
      if (rows === first) continue;
      this.start[users] = first;
      this.segment[users++] = s;
    }
    this.start[users] = rows;
    this.users = users;
    this.rows = rows;
  }

  /** Look up, for the item of each row, the columns that only weighting rules need. */
  lookUp({ weightSlope, stratum }: ItemColumns): void {
    const { item, rows } = this;
    for (let i = 0; i < rows; i++) {
      this.weightSlope[i] = weightSlope[item[i]];
      this.stratum[i] = stratum[item[i]];
    }
  }

  /** Mark the rows to which some model gives a rank below `limit`. */
  markGainful(ranks: readonly Uint16Array[], limit: number): void {
    const { gainful, row, rows } = this;
    gainful.fill(0, 0, rows);
    for (const rank of ranks) {
      for (let i = 0; i < rows; i++) {
        gainful[i] |= (rank[row[i]] - limit) >>> 31;
      }
    }
  }

  /** Also mark the rows driven by recommendations as gainful, since their weights are needed. */
  markCaused(): void {
    const causes = this.part?.causes;
    if (causes === undefined) return;
    for (let i = 0; i < this.rows; i++) {
      if (causes.cause[this.row[i]] !== UNCAUSED) {
        this.gainful[i] = 1;
      }
    }
  }

  /** Take the rows of `from` that a model ranks with a list that the family accepts. */
  takeRanked(from: Selection, part: WindowPart, { model, family }: LaneKey, size: number): void {
    this.reserve(from.row.length);
    this.part = part;
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    let rows = 0;
    let users = 0;
    for (let u = 0; u < from.users; u++) {
      const first = rows;
      for (let i = from.start[u]; i < from.start[u + 1]; i++) {
        const r = from.row[i];
        if (!isEvaluated(ranks[r], lists[r], family, size)) continue;
        this.row[rows] = r;
        this.item[rows] = from.item[i];
        this.weight[rows] = from.weight[i];
        this.weightSlope[rows] = from.weightSlope[i];
        this.stratum[rows] = from.stratum[i];
        this.gainful[rows] = from.gainful[i];
        rows++;
      }
      if (rows === first) continue;
      this.start[users] = first;
      this.segment[users++] = from.segment[u];
    }
    this.start[users] = rows;
    this.users = users;
    this.rows = rows;
  }

  /** Whether `takeRanked` would take every row. */
  isRankedThroughout(part: WindowPart, { model, family }: LaneKey, size: number): boolean {
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    for (let i = 0; i < this.rows; i++) {
      const r = this.row[i];
      if (!isEvaluated(ranks[r], lists[r], family, size)) return false;
    }
    return true;
  }

  /** Number of users with a single row. */
  singletons(): number {
    let users = 0;
    for (let u = 0; u < this.users; u++) {
      if (this.start[u + 1] - this.start[u] === 1) {
        users++;
      }
    }
    return users;
  }

  /** Whether another selection of the same part has the same rows. */
  equals(other: Selection): boolean {
    if (this.rows !== other.rows) return false;
    for (let i = 0; i < this.rows; i++) {
      if (this.row[i] !== other.row[i]) return false;
    }
    return true;
  }
}

function isEvaluated(rank: number, list: number, family: Family, catalogueSize: number): boolean {
  if (rank === UNRANKED) return false;
  // A rank relative to the list's length needs a list that ranks all its candidates.
  if (family === 'complete') return ranksAllCandidates(list, catalogueSize);
  return (list & LIST_SAMPLED_FULL) !== LIST_SAMPLED_FULL;
}

/**
 * Selector of the rows of a chunk for each lane. If a lane has the same rows as the previous one,
 * it returns the same object, so that derived data are reused.
 */
export class LaneRows {
  private positive = new Selection();
  private latest: Selection | null = null;
  private spare = new Selection();
  private other = new Selection();

  /** Start a chunk, given its positive rows. */
  begin(positive: Selection): void {
    this.positive = positive;
    this.latest = null;
  }

  of(part: WindowPart, lane: LaneKey, catalogueSize: number): Selection {
    if (this.positive.isRankedThroughout(part, lane, catalogueSize)) {
      this.latest = this.positive;
      return this.positive;
    }
    const rows = this.spare;
    rows.takeRanked(this.positive, part, lane, catalogueSize);
    // A lane without rows adds no estimates, so it removes none.
    if (rows.rows === 0) return rows;
    if (this.latest?.equals(rows)) return this.latest;
    this.spare = this.other;
    this.other = rows;
    this.latest = rows;
    return rows;
  }
}
