import type { EstimateOptions } from '../../src/estimators/options.js';
import type { Chance, EstimatorOracle, OracleWindow } from './estimator-oracle.js';
import { type EvaluatedRow, sum, type UserSums } from './evaluated.js';
import { isOf, type PlainWindow } from './window.js';

type Strategy = 'full' | 'reg' | 'skew' | 'wtd' | 'wtd_h';

/** Chance of each (user, item) row of the window to be in the sample. */
export function chances(window: PlainWindow, name: Strategy, options: EstimateOptions): Chance {
  const { smoothing, posteriorExponent } = options;
  const over = (count: number) => (count + smoothing === 0 ? 0 : 1 / (count + smoothing));
  const ratio = (target: number, count: number) => (target + smoothing) * over(count);
  const weight = (user: number, item: number) => {
    const { count, randomized = 0 } = window.users[user];
    const n = window.interactions[item];
    if (name === 'full' || name === 'reg') return 1;
    if (name === 'skew') return over(n);
    if (name === 'wtd_h') return over(count) * over(n) ** posteriorExponent;
    return ratio(randomized, count) * ratio(window.randomized?.[item] ?? 0, n) ** posteriorExponent;
  };
  return chancesOf(window, weight, name === 'full' ? 1 : options.sampleShare);
}

/** π = 1 − e^(−w τ), τ by bisection such that a share of the organic rows is to be expected. */
export function chancesOf(window: PlainWindow, weight: Chance, share: number): Chance {
  const weights = window.users.flatMap(({ rows }, user) =>
    rows.filter((row) => isOf(row, 'organic')).map((row) => weight(user, row.item)),
  );
  const kept = (time: number) => sum(weights.map((w) => 1 - Math.exp(-w * time)));
  const wanted = share * weights.length;
  if (wanted >= weights.filter((w) => w > 0).length) {
    return (user, item) => (weight(user, item) > 0 ? 1 : 0);
  }
  let low = 0;
  let high = 1;
  while (kept(high) < wanted) high *= 2;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (kept(middle) < wanted) low = middle;
    else high = middle;
  }
  return (user, item) => 1 - Math.exp(-weight(user, item) * low);
}

/** The mean gain of the sampled rows, over every subset that the sample can be. */
export function intervenedUser(users: EvaluatedRow[][], chance: Chance): UserSums {
  return users.map((rows) => {
    let numerator = 0;
    let denominator = 0;
    for (let subset = 1; subset < 1 << rows.length; subset++) {
      const kept = rows.filter((_, i) => subset & (1 << i));
      const probability = rows
        .map((row, i) =>
          subset & (1 << i) ? chance(row.user, row.item) : 1 - chance(row.user, row.item),
        )
        .reduce((a, b) => a * b, 1);
      numerator += (probability * sum(kept.map((row) => row.gain))) / kept.length;
      denominator += probability;
    }
    return { numerator, denominator };
  });
}

export function intervenedPooled(users: EvaluatedRow[][], chance: Chance): UserSums {
  return users.map((rows) => ({
    numerator: sum(rows.map((row) => chance(row.user, row.item) * row.gain)),
    denominator: sum(rows.map((row) => chance(row.user, row.item))),
  }));
}

/** An intervention, by the chances of its rows, which are worked out once for a window. */
export function drawn(chance: NonNullable<EstimatorOracle['chance']>): EstimatorOracle {
  const known = new WeakMap<OracleWindow['found'], Chance>();
  const once = (given: OracleWindow): Chance => {
    const chances = known.get(given.found) ?? chance(given);
    known.set(given.found, chances);
    return chances;
  };
  return {
    chance: once,
    user: (given) => intervenedUser(given.rows, once(given)),
    pooled: (given) => intervenedPooled(given.rows, once(given)),
  };
}

export function drawing(name: Strategy): EstimatorOracle {
  return drawn(({ window, options }) => chances(window, name, options));
}
