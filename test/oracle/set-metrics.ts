import { type EvaluatedRow, sum, type UserSums } from './evaluated.js';

type Chance = (user: number, item: number) => number;

/** The metric of a set of rows whose gains are places from 1 (0: not in the first k). */
function measure(metric: string, k: number, rows: readonly EvaluatedRow[]): number {
  const places = rows.map(({ gain }) => gain).filter((place) => place > 0);
  if (metric === 'precision') return places.length / k;
  const most = Math.min(k, rows.length);
  if (metric === 'map') {
    const precisionAt = (place: number) =>
      (1 + places.filter((other) => other < place).length) / place;
    return sum(places.map(precisionAt)) / most;
  }
  const discount = (place: number) => 1 / Math.log2(place + 1);
  const best = Array.from({ length: most }, (_, z) => discount(z + 1));
  return sum(places.map(discount)) / sum(best);
}

/** The expectation over every subset that can be drawn, at most 1 for a user who has a row. */
export function setUser(
  metric: string,
  k: number,
  users: EvaluatedRow[][],
  chance: Chance,
): UserSums {
  return users.map((rows) => {
    let [numerator, denominator] = [0, 0];
    for (let subset = 1; subset < 1 << rows.length; subset++) {
      const probability = rows
        .map(({ user, item }, i) =>
          subset & (1 << i) ? chance(user, item) : 1 - chance(user, item),
        )
        .reduce((a, b) => a * b, 1);
      const kept = rows.filter((_, i) => subset & (1 << i));
      numerator += probability * measure(metric, k, kept);
      denominator += probability;
    }
    return { numerator: Math.min(numerator, denominator), denominator };
  });
}
