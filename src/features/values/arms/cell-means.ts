import type { ArmSums } from './arm-sums.js';

/** Sums of one quantity by cell, with totals by cluster and by stratum and arm. */
export class CellMeans {
  /** Number of requests, and the sum of the quantity over them. */
  readonly requests: number;
  readonly total: number;
  /** Number of requests and sum of the quantity, by cluster. */
  readonly requestsOf: Float64Array;
  readonly byCluster: Float64Array;
  readonly #sums: ArmSums;
  readonly #column: Float64Array;
  readonly #requests: Float64Array;

  /**
   * @param column by cell: sum of the quantity.
   * @param own by cell: number of requests in this sum.
   */
  constructor(sums: ArmSums, column: Float64Array, own = sums.requests) {
    const { clusters } = sums.shape;
    this.#sums = sums;
    this.#column = column;
    this.#requests = own;
    this.requestsOf = new Float64Array(clusters);
    this.byCluster = new Float64Array(clusters);
    let requests = 0;
    let total = 0;
    for (let cell = 0; cell < sums.cells; cell++) {
      requests += own[cell];
      total += column[cell];
      this.requestsOf[cell % clusters] += own[cell];
      this.byCluster[cell % clusters] += column[cell];
    }
    this.requests = requests;
    this.total = total;
  }

  /**
   * Contribution of each cluster to the error of total / requests: √(U / (U − 1)) Σ_{q∈u} e / Q, e
   * the residual from the mean of the stratum and arm, or from the overall mean. NaN with one
   * cluster.
   */
  influences(isByArm: boolean): Float64Array {
    const residual = isByArm ? this.#residualsByArm() : this.#residuals();
    const scale = Math.sqrt(clusterFactor(this.requestsOf)) / this.requests;
    return residual.map((each) => each * scale);
  }

  #residuals(): Float64Array {
    const mean = this.total / this.requests;
    return this.byCluster.map((own, u) => own - this.requestsOf[u] * mean);
  }

  #residualsByArm(): Float64Array {
    const { clusters } = this.#sums.shape;
    const residual = new Float64Array(clusters);
    for (let first = 0; first < this.#sums.cells; first += clusters) {
      const own = this.#column.subarray(first, first + clusters);
      const requests = this.#requests.subarray(first, first + clusters);
      const mean = sum(own) / sum(requests);
      for (let u = 0; u < clusters; u++) {
        if (requests[u] > 0) {
          residual[u] += own[u] - requests[u] * mean;
        }
      }
    }
    return residual;
  }
}

/** U / (U − 1) for U clusters with requests; NaN with one. */
export function clusterFactor(requestsOf: Float64Array): number {
  let clusters = 0;
  for (const each of requestsOf) {
    if (each > 0) {
      clusters++;
    }
  }
  return clusters > 1 ? clusters / (clusters - 1) : Number.NaN;
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return total;
}
