/** Sums over rows by stratum v: number of rows n_v, weight s_v, and its slope in γ, ∂s_v/∂γ. */
export class StratumSums {
  readonly rows: Float64Array;
  readonly weight: Float64Array;
  readonly slope: Float64Array;
  /** Mean weight s_v / n_v, available after `settle`. */
  readonly mean: Float64Array;
  /** Slope in γ of the mean weight, available after `settle`. */
  readonly meanSlope: Float64Array;

  constructor(strata: number) {
    this.rows = new Float64Array(strata);
    this.weight = new Float64Array(strata);
    this.slope = new Float64Array(strata);
    this.mean = new Float64Array(strata);
    this.meanSlope = new Float64Array(strata);
  }

  /** Compute the means after the whole window is summed. */
  settle(): void {
    for (let v = 0; v < this.rows.length; v++) {
      if (this.rows[v] === 0) continue;
      this.mean[v] = this.weight[v] / this.rows[v];
      this.meanSlope[v] = this.slope[v] / this.rows[v];
    }
  }

  equals({ rows, weight, slope }: StratumSums): boolean {
    for (let v = 0; v < this.rows.length; v++) {
      if (this.rows[v] !== rows[v] || this.weight[v] !== weight[v]) return false;
      if (this.slope[v] !== slope[v]) return false;
    }
    return true;
  }
}
