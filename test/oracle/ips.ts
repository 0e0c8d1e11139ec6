import type { EstimateOptions } from '../../src/estimators/options.js';
import type { EstimatorOracle } from './estimator-oracle.js';
import { type EvaluatedRow, sum, type UserSums, weightOf } from './evaluated.js';
import { isOf, type PlainRow, type PlainWindow } from './window.js';

export interface OracleScale {
  name: 'logged' | 'randomized' | 'reach' | 'relative';
  /** 1 / P; 0 without a propensity. */
  inverse: (user: number, item: number) => number;
}

/** The first of the four scales that the window has. */
export function scaleOf(window: PlainWindow, options: EstimateOptions): OracleScale | null {
  const { popularity } = window;
  const isKept = ({ item }: PlainRow) => options.cold === 'smooth' || popularity[item] > 0;
  const found = (user: PlainWindow['users'][number], traffic: 'organic' | 'randomized') =>
    user.rows.filter((row) => row.positive && isOf(row, traffic));
  const organicUsers = window.users.map((user) => found(user, 'organic').filter(isKept));
  const organic = organicUsers.flat();
  const logged = organic.filter(({ propensity }) => propensity !== undefined).length;
  if (organic.length > 0 && logged / organic.length >= 0.95) {
    return {
      name: 'logged',
      inverse: (user, item) => {
        const { propensity } = window.users[user].rows.find((row) => row.item === item)!;
        return propensity === undefined ? 0 : 1 / propensity;
      },
    };
  }
  const uniform = window.users.flatMap((user) => found(user, 'randomized')).length;
  const shown = window.shownAtRandom ?? 0;
  if (uniform > 0 && shown > 0) {
    const users = organicUsers.filter((rows) => rows.length > 0).length;
    const relevant = users * options.catalogueSize * (uniform / shown);
    const constant = sum(organic.map(({ item }) => weightOf(window, item, options))) / relevant;
    const inverse = (_: number, item: number) =>
      1 / Math.min(1, constant / weightOf(window, item, options));
    return { name: 'randomized', inverse };
  }
  const { reach } = window;
  if (reach !== undefined) {
    const share = (item: number) => (reach.items[item] || options.smoothing) / reach.users;
    const isUnknown = (item: number) => options.cold === 'drop' && reach.items[item] === 0;
    return { name: 'reach', inverse: (_, item) => (isUnknown(item) ? 0 : 1 / share(item)) };
  }
  const most = Math.max(...popularity);
  if (most === 0) return null;
  const beta = (options.gamma + 1) / 2;
  const inverse = (_: number, item: number) =>
    1 / Math.min(1, ((popularity[item] || options.smoothing) / most) ** beta);
  return { name: 'relative', inverse };
}

/** Σ λ / P, and I for every user. */
export function ipsPooled(
  users: EvaluatedRow[][],
  { inverse }: OracleScale,
  catalogueSize: number,
): UserSums {
  const weighed = users.map((rows) => ({
    numerator: sum(rows.map((row) => row.gain * inverse(row.user, row.item))),
    denominator: catalogueSize,
  }));
  return users.flat().some((row) => inverse(row.user, row.item) > 0) ? weighed : [];
}

/** (Σ W_u)² / Σ W_u², W_u = Σ 1 / P. */
export function ipsSampleSize(users: EvaluatedRow[][], { inverse }: OracleScale): number {
  const own = users.map((rows) => sum(rows.map((row) => inverse(row.user, row.item))));
  return sum(own) ** 2 / sum(own.map((w) => w * w));
}

export const ips: EstimatorOracle = {
  pooled: ({ rows, window, options }) => {
    const scale = scaleOf(window, options);
    return scale === null ? [] : ipsPooled(rows, scale, options.catalogueSize);
  },
  noMean: {
    ess: ({ rows, window, options }) => ipsSampleSize(rows, scaleOf(window, options)!),
    scale: ({ window, options }) => scaleOf(window, options)!.name,
  },
};
