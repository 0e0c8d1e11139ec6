import type { NumberColumn, TextColumn } from '../../events/table-rows.js';
import { PLAIN } from '../../events/texts.js';
import type { Interner } from '../../state/ids/interner.js';

/**
 * Measures of the table `popularity` that only a seed reads. An evaluation ignores them and counts
 * the rows instead.
 */
export const SEED_MEASURES = {
  items: ['interactions', 'positives', 'randomized', 'randomized_positives', 'left_out'],
  users: ['user_interactions', 'user_randomized'],
  others: ['setting', 'through_ts', 'first_list_ts', 'last_list_ts'],
} as const;
const OF_SEEDS: ReadonlySet<string> = new Set(Object.values(SEED_MEASURES).flat());

/** Measures of the table `popularity` that only an evaluation reads. */
export const ROW_MEASURES: ReadonlySet<string> = new Set([
  'lists',
  'reached',
  'reached_users',
  'random_users',
  'random_items',
  'first_ts',
  'last_ts',
]);

/** Error for a measure that this version does not know. */
export function unknownMeasure(name: string, row: number): UnsoundRow {
  return new UnsoundRow(row, `measure ${JSON.stringify(name)} is not known`);
}

/** Whether only a seed reads the measure. */
export function isSeedMeasure(name: string): boolean {
  return OF_SEEDS.has(name);
}

/** An invalid row, with its number in the batch. */
export class UnsoundRow extends Error {
  constructor(
    readonly row: number,
    what: string,
  ) {
    super(what);
  }
}

/**
 * Number in `table` of the id in row r of a column.
 *
 * @throws UnsoundRow for an invalid id
 */
export function idAt({ texts, at }: TextColumn, r: number, name: string, table: Interner): number {
  const n = at[r];
  if (n < 0 || texts.states[n] !== PLAIN) throw new UnsoundRow(r, `${name} is not an id`);
  return texts.idIn(table, n);
}

/**
 * The whole number in row r of a column.
 *
 * @throws UnsoundRow if there is none
 */
export function wholeAt({ values, isAbsent, odd }: NumberColumn, r: number, name: string): number {
  const isOdd = isAbsent[r] === 1 || (odd.size > 0 && odd.has(r));
  if (!isOdd && Number.isSafeInteger(values[r])) return values[r];
  throw new UnsoundRow(r, `${name} is not a whole number`);
}
