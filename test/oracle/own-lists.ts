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
 * w / (W_u U), and R_other keeps these weights and divides by their sum.
 */
export function ownLists(
  users: readonly EvaluatedRow[][],
  weight: (item: number) => number,
  model: number,
  aggregation: 'user' | 'pooled',
): OwnLists {
  const rows = users.flatMap((own) => {
    const total = own.reduce((sum, { item }) => sum + weight(item), 0);
    return own.map(({ item, gain, cause }) => {
      const share = aggregation === 'user' ? weight(item) / (total * users.length) : weight(item);
      return { share, gain, cause };
    });
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
