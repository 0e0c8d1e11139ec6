import { UNCAUSED } from '../../state/panes/row-causes.js';
import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { CausedShares } from './verdict.js';

/** An estimate over all rows: R = numerator / denominator. */
export interface WholeEstimate {
  readonly numerator: number;
  readonly denominator: number;
  /** Σ of the rows' coefficients; equal to the denominator for a weighted mean. */
  readonly weight: number;
  readonly isSetMetric: boolean;
}

/**
 * Sums of an estimator's coefficients c over the rows of a lane that any shown list caused, and
 * over those that lists of the lane's own model caused: Σc 1{caused}, Σc 1{own}, Σcλ 1{own}. The
 * sums run over all users, separately for both aggregations: c is a in the user form, b in the
 * pooled form (see `Coefficients`).
 */
export class FeedbackSums {
  /** Σc 1{caused} (`#caused`) and Σc 1{own} (`#own`), each by aggregation: user, pooled. */
  readonly #caused = new Float64Array(2);
  readonly #own = new Float64Array(2);
  /** Σcλ 1{own}, by metric and then by aggregation. */
  readonly #ownGain: Float64Array;
  /** Whether there is a row with weight that the model's own lists did not cause. */
  #hasOthers = false;

  constructor(metrics: number) {
    this.#ownGain = new Float64Array(2 * metrics);
  }

  /**
   * Add a chunk of users, given its caused rows, the coefficients of all its rows, and the hits of
   * each metric.
   */
  add(
    rows: CausedRows,
    { user, pooled }: Coefficients,
    selection: Selection,
    metrics: readonly MeasuredHits[],
  ): void {
    const { isOwn, caused, size, ownHits } = rows;
    let [causedUser, causedPooled] = this.#caused;
    let [ownUser, ownPooled] = this.#own;
    for (let c = 0; c < size; c++) {
      const i = caused[c];
      causedUser += user[i];
      causedPooled += pooled[i];
      if (isOwn[i] === 0) continue;
      ownUser += user[i];
      ownPooled += pooled[i];
    }
    this.#caused.set([causedUser, causedPooled]);
    this.#own.set([ownUser, ownPooled]);
    this.#hasOthers ||= hasOthers(isOwn, pooled, selection.rows);
    for (let m = 0; m < ownHits.length; m++) {
      const { row, gain } = metrics[m].hits;
      const { at, size: hits } = ownHits[m];
      let gainUser = this.#ownGain[2 * m];
      let gainPooled = this.#ownGain[2 * m + 1];
      for (let o = 0; o < hits; o++) {
        const h = at[o];
        const i = row[h];
        gainUser += user[i] * gain[h];
        gainPooled += pooled[i] * gain[h];
      }
      this.#ownGain[2 * m] = gainUser;
      this.#ownGain[2 * m + 1] = gainPooled;
    }
  }

  /**
   * Compute an estimate's shares of weight on caused rows and on own rows, and R_other, the
   * estimate over the rows that are not own. R_other keeps each row's weight, w / (W_u U) in the
   * user form, and divides by the sum of these weights.
   *
   * @param m index of the metric. @param aggregation 0: user, 1: pooled.
   */
  shares(m: number, aggregation: 0 | 1, whole: WholeEstimate): CausedShares {
    const { numerator, denominator, weight, isSetMetric } = whole;
    const own = this.#own[aggregation];
    const hasOthers = this.#hasOthers;
    const left = weight - own;
    // An estimate that is not self-normalised keeps its scale, so that R_other compares with R.
    const scale = weight / denominator;
    const other = ((numerator - this.#ownGain[2 * m + aggregation]) / left) * scale;
    return {
      caused: this.#caused[aggregation] / weight,
      own: own / weight,
      other: hasOthers && left > 0 && !isSetMetric ? Math.max(0, other) : Number.NaN,
      hasOthers,
    };
  }
}

function hasOthers(isOwn: Uint8Array, pooled: Float64Array, rows: number): boolean {
  for (let i = 0; i < rows; i++) {
    if (isOwn[i] === 0 && pooled[i] > 0) return true;
  }
  return false;
}

/**
 * Hits of a metric that the model's own lists caused, as indices `at` into the metric's hits; the
 * first `size` are in use.
 */
interface OwnHits {
  at: Int32Array;
  size: number;
}

/** Rows of a chunk that shown lists caused. The buffers are reused by the next chunk. */
export class CausedRows {
  /** Indices of the caused rows in the selection; the first `size` are in use. */
  caused = new Int32Array(0);
  size = 0;
  /** By index of the selection: 1 if the model's own list caused the row. */
  isOwn = new Uint8Array(0);
  /** By metric: its hits that the model's own lists caused; empty for set metrics. */
  ownHits: OwnHits[] = [];
  readonly #room: OwnHits[] = [];
  #hasOwn = false;

  take({ rows, row, part }: Selection, model: number): void {
    if (rows > this.caused.length) {
      this.caused = new Int32Array(rows);
      this.isOwn = new Uint8Array(rows);
    }
    const causes = part?.causes;
    this.size = 0;
    this.#hasOwn = false;
    this.isOwn.fill(0, 0, rows);
    if (causes === undefined) return;
    for (let i = 0; i < rows; i++) {
      const cause = causes.cause[row[i]];
      if (cause === UNCAUSED) continue;
      this.caused[this.size++] = i;
      if (cause !== model + 1) continue;
      this.isOwn[i] = 1;
      this.#hasOwn = true;
    }
  }

  /** Find each metric's hits that the model's own lists caused, once for all estimators. */
  takeHits(metrics: readonly MeasuredHits[]): void {
    this.ownHits = this.#hasOwn ? metrics.map((metric, m) => this.#ownOf(metric, m)) : [];
  }

  #ownOf({ hits: { row, size }, set }: MeasuredHits, m: number): OwnHits {
    this.#room[m] ??= {
      at: new Int32Array(0),
      size: 0,
    };
    const own = this.#room[m];
    own.size = 0;
    if (set !== null) return own;
    if (own.at.length < size) {
      own.at = new Int32Array(size);
    }
    for (let h = 0; h < size; h++) {
      own.at[own.size] = h;
      own.size += this.isOwn[row[h]];
    }
    return own;
  }
}
