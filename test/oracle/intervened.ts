import type { EstimateOptions } from '../../src/estimators/options.js';
import { type EvaluatedRow, sum, type UserSums } from './evaluated.js';
import { isOf, type PlainWindow } from './window.js';

/** Chance of each (user, item) row of the window to be in the sample, τ by bisection. */
export function chances(
  window: PlainWindow,
  name: 'full' | 'reg' | 'skew' | 'wtd' | 'wtd_h',
  options: EstimateOptions,
): (user: number, item: number) => number {
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
  const weights = window.users.flatMap(({ rows }, user) =>
    rows.filter((row) => isOf(row, 'organic')).map((row) => weight(user, row.item)),
  );
  const kept = (time: number) => sum(weights.map((w) => 1 - Math.exp(-w * time)));
  const wanted = options.sampleShare * weights.length;
  if (name === 'full' || wanted >= weights.filter((w) => w > 0).length) {
    return (user, item) => (weight(user, item) > 0 ? 1 : 0);
  }
  let [low, high] = [0, 1];
  while (kept(high) < wanted) high *= 2;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (kept(middle) < wanted) low = middle;
    else high = middle;
  }
  return (user, item) => 1 - Math.exp(-weight(user, item) * low);
}

type Chance = (user: number, item: number) => number;

/** The mean gain of the sampled rows, over every subset that the sample can be. */
export function intervenedUser(users: EvaluatedRow[][], chance: Chance): UserSums {
  return users.map((rows) => {
    let [numerator, denominator] = [0, 0];
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
