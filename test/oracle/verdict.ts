/** One row of a log in which both models rank everything. */
export interface PairRow {
  readonly user: string;
  readonly weight: number;
  readonly own: number;
  readonly other: number;
}

/**
 * The difference of two models from single rows, by its definition: users exactly, all that a user did
 * as one observation, Σψ² by a second pass.
 */
export function pairDifference(rows: readonly PairRow[]) {
  const sum = (of: (row: PairRow) => number, from = rows) =>
    from.reduce((total, row) => total + of(row), 0);
  const weight = sum((row) => row.weight);
  const value =
    sum((row) => row.weight * row.own) / weight - sum((row) => row.weight * row.other) / weight;
  const users = [...new Set(rows.map(({ user }) => user))];
  const ofUser = (user: string) => rows.filter((row) => row.user === user);
  const psi = users.map((user) =>
    sum((row) => row.weight * (row.own - row.other - value), ofUser(user)),
  );
  const total = users.map((user) => sum((row) => row.weight, ofUser(user)));
  const squares = psi.reduce((all, each) => all + each ** 2, 0);
  return {
    value,
    stdErr: Math.sqrt((users.length / (users.length - 1)) * squares) / weight,
    ess: weight ** 2 / total.reduce((all, each) => all + each ** 2, 0),
    groups: users.length,
  };
}

/** Λ as the ratio of two densities of D: a normal mixture of differences over none. */
export function mixtureRatio(value: number, stdErr: number, spread: number): number {
  const density = (x: number, sd: number) =>
    Math.exp(-(x ** 2) / (2 * sd ** 2)) / (sd * Math.sqrt(2 * Math.PI));
  return density(value, Math.hypot(stdErr, spread)) / density(value, stdErr);
}
