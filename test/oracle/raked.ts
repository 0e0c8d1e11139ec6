import type { EstimatorOracle, OracleWindow } from './estimator-oracle.js';
import { sum } from './evaluated.js';
import { chancesOf, drawn } from './intervened.js';
import { isOf } from './window.js';

const SWEEPS = 20_000;

/**
 * a_u b_i with the same sum for every user and every item, by many sweeps over plain rows. Where the
 * estimator says that this is out of reach, the fixed point of the damped sweeps.
 */
function sidesOf({ window, found }: OracleWindow): [user: number[], item: number[]] {
  const items = window.users.map(({ rows }) =>
    rows.filter((row) => isOf(row, 'organic')).map(({ item }) => item),
  );
  const { isDamped } = found.interventions.find(({ raking }) => raking !== undefined)!.raking!;
  const power = isDamped ? 0.9 : 1;
  const users = items.filter((own) => own.length > 0).length;
  const seen = new Set(items.flat()).size;
  let b: number[] = window.popularity.map((_, i) => (items.some((own) => own.includes(i)) ? 1 : 0));
  let a: number[] = [];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    a = items.map((own) => (own.length === 0 ? 0 : (users * sum(own.map((i) => b[i]))) ** -power));
    const next = b.map((side, i) =>
      side === 0 ? 0 : (seen * sum(a.filter((_, u) => items[u].includes(i)))) ** -power,
    );
    const isStill = next.every((side, i) => Math.abs(side - b[i]) <= 1e-14 * side);
    b = next;
    if (isStill) break;
  }
  return [a, b];
}

/** Its weights are found to 1e-10 of the margins, and slow sweeps are that far from their end. */
export const raked: EstimatorOracle = {
  tolerance: 1e-6,
  ...drawn((given) => {
    const [a, b] = sidesOf(given);
    return chancesOf(given.window, (user, item) => a[user] * b[item], given.options.sampleShare);
  }),
};
