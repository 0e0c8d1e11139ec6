import type { GroupSums } from './paired-difference.js';

/** Number of groups into which users are divided by a hash of their ids. */
export const GROUPS = 1024;

/** The group of a user, by a hash of the id with its bits mixed. */
export function groupOf(key: number): number {
  return Math.imul(key ^ (key >>> 16), 0x9e3779b1) >>> (32 - Math.log2(GROUPS));
}

/** Index of the weighting without correction. */
export const UNCORRECTED_POINT = 0;
/**
 * Index of the weighting at the value of γ. The indices before and after it belong to the lower and
 * the upper limit of γ.
 */
export const ESTIMATE_POINT = 2;
/** Number of weightings. */
export const POINTS = 4;

/** Layout of the sums, with the index of the estimate's weighting. */
export interface SumsShape {
  readonly points: number;
  readonly groups: number;
  readonly estimate: number;
  /** Indices of weightings that a verdict must hold for, ascending. */
  readonly corrected: readonly number[];
}

/** Sums of metric gains for each candidate γ. */
export const GAIN_SUMS: SumsShape = {
  points: POINTS,
  groups: GROUPS,
  estimate: ESTIMATE_POINT,
  corrected: Array.from({ length: POINTS - 1 }, (_, p) => p + 1),
};

/**
 * Number of sums over single rows for a pair of models: Σ w² g_m g_n, Σ w² g_m and Σ w², over the
 * rows that both models rank.
 */
const MOMENTS = 3;

/**
 * Sampling of groups of users for the sums over single rows. For a row that at most `models` models
 * rank, one group in `oneIn` is sampled.
 */
const SAMPLING = [
  {
    models: 8,
    oneIn: 1,
  },
  {
    models: 16,
    oneIn: 4,
  },
  {
    models: Number.POSITIVE_INFINITY,
    oneIn: 16,
  },
] as const;

/** The models that rank a row's item, and their gains. */
export interface RowGains {
  /** Number of models; columns may be longer. */
  count: number;
  /** Indices of the models in the sums. */
  readonly places: Int32Array;
  readonly gains: Float64Array;
}

/** A copy of the sums at a time, for subtraction from later ones. */
export interface Mark {
  /** Time of the copy, event time, ms. */
  readonly at: number;
  /** By index of the model; undefined for models added later. */
  readonly columns: readonly (Float32Array | undefined)[];
}

/**
 * Sums of weights and of weighted gains by model, γ and group of users, over all rows so far.
 * Subtract a mark to get the sums since its time. 64 models take 4 MB, and each mark half of it.
 */
export class RunningSums {
  /** Sums by index of the model; undefined for an index without a model. */
  readonly columns: (Float64Array | undefined)[] = [];
  readonly #room: number;
  readonly #shape: SumsShape;

  /** @param room maximum number of models. */
  constructor(room: number, shape: SumsShape = GAIN_SUMS) {
    this.#room = room;
    this.#shape = shape;
  }

  /** Number of sums per model. */
  get length(): number {
    return this.#moments + MOMENTS * this.#room;
  }

  /** Offset of the sums over single rows. */
  get #moments(): number {
    return 2 * this.#shape.points * this.#shape.groups;
  }

  /** Add a model with sums of 0. */
  open(place: number): void {
    this.columns[place] = new Float64Array(this.length);
  }

  /**
   * Add a row.
   *
   * @param group group of the row's user. @param weights weights of the row, by γ.
   */
  add(group: number, weights: Float64Array, row: RowGains): void {
    const { points, groups, estimate } = this.#shape;
    const { count, places, gains } = row;
    for (let m = 0; m < count; m++) {
      const column = this.columns[places[m]]!;
      for (let p = 0; p < points; p++) {
        const at = 2 * p * groups + group;
        column[at] += weights[p];
        column[at + groups] += weights[p] * gains[m];
      }
    }
    const { oneIn } = SAMPLING.find(({ models }) => count <= models)!;
    if (group % oneIn === 0) {
      this.#addMoments(oneIn * weights[estimate] ** 2, row);
    }
  }

  #addMoments(square: number, { count, places, gains }: RowGains): void {
    const from = this.#moments;
    for (let m = 0; m < count; m++) {
      const column = this.columns[places[m]]!;
      for (let n = 0; n < count; n++) {
        const at = from + MOMENTS * places[n];
        column[at] += square * gains[m] * gains[n];
        column[at + 1] += square * gains[m];
        column[at + 2] += square;
      }
    }
  }

  /** Copy all sums in single precision, which is enough for differences. */
  mark(at: number): Mark {
    return {
      at,
      columns: this.columns.map((column) => column && Float32Array.from(column)),
    };
  }

  /** Sums of a model since a mark, at one γ; copied into the arrays of `into`. */
  since(mark: Mark | undefined, place: number, point: number, into: MutableSums): GroupSums {
    const column = this.columns[place]!;
    const before = mark?.columns[place];
    const { groups } = this.#shape;
    for (let g = 0, at = 2 * point * groups; g < groups; g++, at++) {
      into.weight[g] = grown(column[at], before?.[at]);
      into.gain[g] = grown(column[at + groups], before?.[at + groups]);
    }
    return into;
  }

  /** Σ w² g_m g_n, Σ w² g_m and Σ w² since a mark, over the rows that both models rank. */
  moments(mark: Mark | undefined, own: number, other: number): [number, number, number] {
    const at = this.#moments + MOMENTS * other;
    const value = (n: number) => grown(this.columns[own]![at + n], mark?.columns[own]?.[at + n]);
    return [value(0), value(1), value(2)];
  }
}

/** Writable sums by group. */
export interface MutableSums extends GroupSums {
  readonly weight: Float64Array;
  readonly gain: Float64Array;
}

export function roomForSums(groups = GROUPS): MutableSums {
  return {
    weight: new Float64Array(groups),
    gain: new Float64Array(groups),
  };
}

/**
 * Growth of a sum since its mark. The mark is in single precision, so the growth is 0 if the sum
 * still rounds to it.
 */
function grown(now: number, before = 0): number {
  return Math.fround(now) === before ? 0 : now - before;
}
