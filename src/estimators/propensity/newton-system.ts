import { choleskySolve } from '../mathematics/cholesky.js';
import type { PairFeatures } from './logits.js';

/** Dimensions of a Newton system. */
export interface SystemShape {
  readonly features: PairFeatures;
  /** Number of items with an offset; 0 for none. */
  readonly itemOffsets: number;
  readonly hasUserOffsets: boolean;
}

/** One user's pairs at the current parameters: items, variances P(1 − P) and residuals O − P. */
export interface UserPairs {
  readonly item: Int32Array;
  readonly variance: Float64Array;
  readonly residual: Float64Array;
}

/**
 * Newton's equations H Δ = g of a logistic regression, accumulated user by user.
 *
 * Parameters are ordered as c, W row by row, β. User offsets are eliminated on the fly: their block
 * of H is diagonal, so user u contributes H − h_u h_uᵀ / d_u and g − h_u g_u / d_u (Schur
 * complement). Only nonzero features cost time.
 */
export class NewtonSystem {
  readonly size: number;
  /** g; after `solve`, Δ. */
  readonly gradient: Float64Array;
  /** Lower half of H, row by row. */
  readonly #hessian: Float64Array;
  readonly #shape: SystemShape;
  /** h_u, the entries of H between a user's offset and the other parameters; 0 after each user. */
  readonly #cross: Float64Array;
  /**
   * Σ v z zᵀ over a user's pairs, v their variances and z their item features; lower half, by row.
   */
  readonly #second: Float64Array;

  constructor(shape: SystemShape) {
    const { users, items } = shape.features;
    this.#shape = shape;
    this.size = 1 + users.width * items.width + shape.itemOffsets;
    this.gradient = new Float64Array(this.size);
    this.#hessian = new Float64Array(this.size * this.size);
    this.#cross = new Float64Array(this.size);
    this.#second = new Float64Array(items.width * items.width);
  }

  clear(): void {
    this.gradient.fill(0);
    this.#hessian.fill(0);
  }

  /** Add a penalty of strength · value² / 2 on one parameter. */
  penalise(place: number, strength: number, value: number): void {
    this.#hessian[place * this.size + place] += strength;
    this.gradient[place] -= strength * value;
  }

  /**
   * Add the pairs of one user, and eliminate the user's offset if there is one.
   *
   * @param ownGradient of the penalty on the user's offset.
   * @param ownCurvature second derivative of that penalty.
   * @returns g_u² / d_u, the offset's contribution to the decrement; 0 without user offsets.
   */
  addUser(
    user: number,
    pairs: UserPairs,
    [first, end]: readonly [number, number],
    ownGradient: number,
    ownCurvature: number,
  ): number {
    let curvature = 0;
    let residual = 0;
    for (let pair = first; pair < end; pair++) {
      curvature += pairs.variance[pair];
      residual += pairs.residual[pair];
    }
    this.gradient[0] += residual;
    this.#cross[0] = curvature;
    this.#addFeatures(user, pairs, first, end);
    this.#addItems(user, pairs, first, end);
    const places = this.#takePlaces();
    if (!this.#shape.hasUserOffsets) {
      for (const place of places) {
        this.#cross[place] = 0;
      }
      return 0;
    }
    const d = curvature + ownCurvature;
    const g = residual + ownGradient;
    this.#eliminate(places, d, g);
    return (g * g) / d;
  }

  /** Solve H Δ = g in place. @returns false if the solution is not unique. */
  solve(): boolean {
    return choleskySolve(this.#hessian, this.gradient, this.size);
  }

  /** Add a user's part of the blocks of W to H, x_u x_uᵀ ⊗ Σ v z zᵀ, and its parts of g and h_u. */
  #addFeatures(user: number, pairs: UserPairs, first: number, end: number): void {
    const { users, items } = this.#shape.features;
    const width = items.width;
    const second = this.#second.fill(0);
    const weighted = new Float64Array(width);
    const residuals = new Float64Array(width);
    for (let pair = first; pair < end; pair++) {
      const from = items.start[pairs.item[pair]];
      const to = items.start[pairs.item[pair] + 1];
      for (let f = from; f < to; f++) {
        const k = items.column[f];
        const part = pairs.variance[pair] * items.value[f];
        weighted[k] += part;
        residuals[k] += pairs.residual[pair] * items.value[f];
        for (let e = from; e <= f; e++) {
          second[k * width + items.column[e]] += part * items.value[e];
        }
      }
    }
    const from = users.start[user];
    const to = users.start[user + 1];
    for (let f = from; f < to; f++) {
      const row = 1 + users.column[f] * width;
      for (let k = 0; k < width; k++) {
        this.#cross[row + k] = users.value[f] * weighted[k];
        this.gradient[row + k] += users.value[f] * residuals[k];
      }
      for (let e = from; e <= f; e++) {
        this.#addBlock(row, 1 + users.column[e] * width, users.value[f] * users.value[e]);
      }
    }
  }

  /** Add one block of W, at or left of the diagonal. */
  #addBlock(row: number, column: number, scale: number): void {
    const width = this.#shape.features.items.width;
    for (let k = 0; k < width; k++) {
      const at = (row + k) * this.size + column;
      const last = row === column ? k : width - 1;
      for (let l = 0; l <= last; l++) {
        const entry = l <= k ? this.#second[k * width + l] : this.#second[l * width + k];
        this.#hessian[at + l] += scale * entry;
      }
    }
  }

  /** Add a user's part of the rows of β to H: the diagonal, and the products with W. */
  #addItems(user: number, pairs: UserPairs, first: number, end: number): void {
    if (this.#shape.itemOffsets === 0) return;
    const { users, items } = this.#shape.features;
    const firstOffset = this.size - this.#shape.itemOffsets;
    for (let pair = first; pair < end; pair++) {
      const item = pairs.item[pair];
      const place = firstOffset + item;
      const row = place * this.size;
      const variance = pairs.variance[pair];
      this.gradient[place] += pairs.residual[pair];
      this.#cross[place] = variance;
      this.#hessian[row + place] += variance;
      for (let f = users.start[user]; f < users.start[user + 1]; f++) {
        const block = row + 1 + users.column[f] * items.width;
        const part = variance * users.value[f];
        for (let e = items.start[item]; e < items.start[item + 1]; e++) {
          this.#hessian[block + items.column[e]] += part * items.value[e];
        }
      }
    }
  }

  /** Add h_u to the column of c in H. @returns the indices of the nonzero elements of h_u. */
  #takePlaces(): number[] {
    const places: number[] = [];
    for (let place = 0; place < this.size; place++) {
      if (this.#cross[place] === 0) continue;
      places.push(place);
      this.#hessian[place * this.size] += this.#cross[place];
    }
    return places;
  }

  #eliminate(places: readonly number[], d: number, g: number): void {
    const hessian = this.#hessian;
    const values = Float64Array.from(places, (place) => this.#cross[place]);
    for (let i = 0; i < places.length; i++) {
      const row = places[i] * this.size;
      const part = values[i] / d;
      this.gradient[places[i]] -= part * g;
      for (let j = 0; j <= i; j++) {
        hessian[row + places[j]] -= part * values[j];
      }
      this.#cross[places[i]] = 0;
    }
  }
}
