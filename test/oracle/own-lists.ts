import type { EvaluatedRow } from './evaluated.js';

/** What the definition says of one model, metric and estimator. */
export interface OwnLists {
  caused: number;
  own: number;
  other: number;
}

/**
 * Straight from the definition: rows with weights w, own_m = Σw 1{own} / Σw, any = Σw 1{caused} /
 * Σw, R_other the same mean over the rows that are not own. In the user form a row of user u weighs
 * w / (W_u U), and R_other keeps these weights and divides by their sum. In the corrected one
 *
 *   s (1 + n/(n − 1) (s − Σ s²)) / U, s = w / W_u, n rows of the user; s / U for n = 1:
 *
 * what R_u + n/(n − 1) (Σw²λ − R_u Σw²) / W_u² takes of each λ.
 */
export function ownLists(
  users: readonly EvaluatedRow[][],
  weight: (item: number) => number,
  model: number,
  form: 'user' | 'pooled' | 'corrected',
): OwnLists {
  const rows = users.flatMap((own) => {
    const shares = sharesOf(
      own.map(({ item }) => weight(item)),
      form,
    );
    const scale = form === 'pooled' ? 1 : 1 / users.length;
    return own.map(({ gain, cause }, r) => ({ share: shares[r]! * scale, gain, cause }));
  });
  type Row = (typeof rows)[number];
  const shareOf = (some: readonly Row[]) => some.reduce((sum, { share }) => sum + share, 0);
  const others = rows.filter(({ cause }) => cause !== model);
  return {
    caused: shareOf(rows.filter(({ cause }) => cause !== undefined)) / shareOf(rows),
    own: shareOf(rows.filter(({ cause }) => cause === model)) / shareOf(rows),
    other: others.reduce((sum, { share, gain }) => sum + share * gain, 0) / shareOf(others),
  };
}

/** What the rows of a user weigh. */
function sharesOf(weights: readonly number[], form: 'user' | 'pooled' | 'corrected'): number[] {
  if (form === 'pooled') return [...weights];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => weight / total);
  const n = shares.length;
  if (form === 'user' || n < 2) return shares;
  const squares = shares.reduce((sum, share) => sum + share ** 2, 0);
  return shares.map((share) => share * (1 + (n / (n - 1)) * (share - squares)));
}
