import type { LogisticModel } from '../../src/estimators/propensity/logits.js';

/** A regression as its definition has it: every pair, features as full rows. */
export interface SlowRegression {
  /** By user, by item: 1 if observed, 0 if not, undefined for a pair that is not in. */
  readonly observed: readonly (readonly (0 | 1 | undefined)[])[];
  readonly x: readonly (readonly number[])[];
  readonly z: readonly (readonly number[])[];
  readonly l2: number;
  /** q of the negatives. */
  readonly rate: number;
}

/** logit P of a pair, for all pairs. */
export function slowLogit(of: SlowRegression, model: LogisticModel, user: number, item: number) {
  let logit = model.intercept + model.userOffsets[user] + model.itemOffsets[item];
  of.x[user].forEach((x, a) => {
    of.z[item].forEach((z, k) => {
      logit += x * model.weights[a * of.z[item].length + k] * z;
    });
  });
  return logit;
}

/** Objective and slopes of the regression at a model; at its minimum all slopes are 0. */
export function slowObjective(of: SlowRegression, model: LogisticModel) {
  const width = of.z[0].length;
  const slopes = {
    intercept: 0,
    weights: Array.from(model.weights, (weight) => of.l2 * weight),
    users: of.x.map(() => 0),
    items: of.z.map(() => 0),
  };
  let objective = 0;
  for (const weight of model.weights) objective += (of.l2 * weight ** 2) / 2;
  of.observed.forEach((row, user) => {
    row.forEach((o, item) => {
      if (o === undefined) return;
      const odds = Math.exp(slowLogit(of, model, user, item)) / of.rate;
      const p = odds / (1 + odds);
      objective -= o === 1 ? Math.log(p) : Math.log(1 - p);
      slopes.intercept += p - o;
      slopes.users[user] += p - o;
      slopes.items[item] += p - o;
      of.x[user].forEach((x, a) => {
        of.z[item].forEach((z, k) => {
          slopes.weights[a * width + k] += (p - o) * x * z;
        });
      });
    });
  });
  return { objective, slopes };
}
