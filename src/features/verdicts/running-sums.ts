import type { GroupSums } from './paired-difference.js';

/** Number of groups into which users are divided by a hash of their ids. */
export const GROUPS = 1024;

/** The group of a user, by a hash of the id: its bits are mixed, since neighbours may differ in few. */
export function groupOf(key: number): number {
  return Math.imul(key ^ (key >>> 16), 0x9e3779b1) >>> (32 - Math.log2(GROUPS));
}

/**
 * Indices of the weightings: uncorrected, and γ at its lower limit, its value and its upper limit.
 */
export const UNCORRECTED_POINT = 0;
export const ESTIMATE_POINT = 2;
export const POINTS = 4;

/** How sums are laid out, and which of their points is the estimate. */
export interface SumsShape {
  readonly points: number;
  readonly groups: number;
  readonly estimate: number;
  /** Those that a verdict needs all of, ascending. */
  readonly corrected: readonly number[];
}

/** Of gains, by γ. */
export const GAIN_SUMS: SumsShape = {
  points: POINTS,
  groups: GROUPS,
  estimate: ESTIMATE_POINT,
  corrected: Array.from({ length: POINTS - 1 }, (_, p) => p + 1),
};

/** Σ w² g_m g_n, Σ w² g_m and Σ w², over the rows that both models rank. */
const MOMENTS = 3;

/** Rows of how many groups count in the sums over single rows, by the models that rank a row. */
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
  /** How many models: the columns may be longer. */
  count: number;
  /** Places of the models in the sums. */
  readonly places: Int32Array;
  readonly gains: Float64Array;
}

/** The sums as they were at a time, to be subtracted from later ones. */
export interface Mark {
  /** Event time, ms. */
  readonly at: number;
  /** By the models' places; a model that came later has none. */
  readonly columns: readonly (Float32Array | undefined)[];
}

/**
 * Sums of weights and of weighted gains by model, γ and group of users, over all rows so far. What was
 * summed since a mark is the difference to it. Adding 64 models takes 4 MB, and each mark half of it.
 */
export class RunningSums {
  /** By the models' places. */
  readonly columns: (Float64Array | undefined)[] = [];
  readonly #room: number;
  readonly #shape: SumsShape;

  /** @param room places of models, which rows are compared between. */
  constructor(room: number, shape: SumsShape = GAIN_SUMS) {
    this.#room = room;
    this.#shape = shape;
  }

  /** Numbers of a model. */
  get length(): number {
    return this.#moments + MOMENTS * this.#room;
  }

  /** Where the sums over single rows begin. */
  get #moments(): number {
    return 2 * this.#shape.points * this.#shape.groups;
  }

  /** Makes room for a model, at 0. */
  open(place: number): void {
    this.columns[place] = new Float64Array(this.length);
  }

  /**
   * Adds a row.
   *
   * @param group of its user. @param weights by γ.
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

  /** A copy of all sums, in single precision, which their differences do not need more than. */
  mark(at: number): Mark {
    return {
      at,
      columns: this.columns.map((column) => column && Float32Array.from(column)),
    };
  }

  /** What a model's rows came to since a mark, under one γ; copied into the arrays of `into`. */
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

/** A sum that did not grow has not come to what single precision leaves of it. */
function grown(now: number, before = 0): number {
  return Math.fround(now) === before ? 0 : now - before;
}
