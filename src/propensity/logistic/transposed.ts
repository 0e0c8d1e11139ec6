import type { PairDesign } from './pair-design.js';

/** The same pairs, with users and items in each other's role. */
export function transposedDesign(design: PairDesign): PairDesign {
  const { users, items } = design;
  const start = new Int32Array(items + 1);
  for (const item of design.item) start[item + 1]++;
  for (let item = 0; item < items; item++) start[item + 1] += start[item];
  const next = start.slice();
  const item = new Int32Array(design.item.length);
  const isObserved = new Uint8Array(design.item.length);
  for (let user = 0; user < users; user++) {
    for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
      const place = next[design.item[pair]]++;
      item[place] = user;
      isObserved[place] = design.isObserved[pair];
    }
  }
  return { users: items, items: users, start, item, isObserved, rate: design.rate };
}

/** A matrix with its rows as columns. @param columns of the given one. */
export function transposedMatrix(values: Float64Array, columns: number): Float64Array {
  const rows = columns === 0 ? 0 : values.length / columns;
  return Float64Array.from(
    values,
    (_, place) => values[(place % rows) * columns + Math.floor(place / rows)],
  );
}
