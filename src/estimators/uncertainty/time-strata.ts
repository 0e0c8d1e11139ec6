/**
 * Division of the time in which a model was served into strata: runs of consecutive time buckets,
 * each with enough of the model's lists.
 */
export interface Strata {
  readonly count: number;
  /** By bucket: its stratum; −1 before the model's first list and after its last. */
  readonly of: Int32Array;
  /**
   * By stratum: number of lists of all models (`all`), number of this model's lists (`own`), and
   * mean reward of this model's lists (`mean`).
   */
  readonly all: Float64Array;
  readonly own: Float64Array;
  readonly mean: Float64Array;
}

/**
 * Divide the time in which a model was served into strata that each have at least `least` lists of
 * the model. Lists left over at the end join the last stratum. Buckets before the model's first
 * list and after its last belong to no stratum, since its reward at those times is unknown.
 *
 * @param all number of lists of all models, by bucket. @param own number of the model's lists, by
 * bucket. @param reward sum of the rewards of the model's lists, by bucket.
 * @example
 * strataOf([4, 4], [2, 1], [1, 1], 1).count; // 2
 */
export function strataOf(
  all: ArrayLike<number>,
  own: ArrayLike<number>,
  reward: ArrayLike<number>,
  least: number,
): Strata {
  const of = new Int32Array(own.length).fill(-1);
  let first = own.length;
  let last = -1;
  let total = 0;
  for (let b = 0; b < own.length; b++) {
    if (own[b] === 0) continue;
    first = Math.min(first, b);
    last = b;
    total += own[b];
  }
  let count = 0;
  let held = 0;
  let left = total;
  for (let b = first; b <= last; b++) {
    // Begin a new stratum if this one is full and enough lists are left for another.
    if (count === 0 || (held >= least && left >= least)) {
      count++;
      held = 0;
    }
    of[b] = count - 1;
    held += own[b];
    left -= own[b];
  }
  const sums = {
    all: new Float64Array(count),
    own: new Float64Array(count),
  };
  const mean = new Float64Array(count);
  for (let b = first; b <= last; b++) {
    sums.all[of[b]] += all[b];
    sums.own[of[b]] += own[b];
    mean[of[b]] += reward[b];
  }
  for (let t = 0; t < count; t++) {
    mean[t] /= sums.own[t];
  }
  return {
    count,
    of,
    ...sums,
    mean,
  };
}
