import { openLineWriter } from '../../adapters/files/line-writer.js';
import type { Learned, LearnedModel } from './learned-model.js';
import type { SparseRows } from './rating-rows.js';

/** First line of a model file says what it is; an item a line follows, then the users of a kind that has them. */
export const MODEL_SCHEMA = 'unskew/model@1';

/** The row of each item, as JSON without its id. */
type ItemRow = (item: number) => object;

/**
 * Writes a model as lines of JSON; the file appears complete under its name, or not at all.
 *
 *   {"schema":"unskew/model@1","kind":"mf","items":300,"users":0,…}
 *   {"item":"i000","factors":[…],"offset":0.1}
 *
 * @throws UnskewError FILE if it cannot be written
 */
export async function writeModel(path: string, model: LearnedModel): Promise<void> {
  const writer = await openLineWriter(path);
  try {
    for (const line of modelLines(model)) await writer.write(line);
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The lines of a model's file. */
function* modelLines({ items, learned, learnedTo }: LearnedModel): Generator<string> {
  const { head, row, users } = contentOf(learned);
  const { kind } = learned;
  const counts = { items: items.length, users: users.length };
  yield JSON.stringify({ schema: MODEL_SCHEMA, kind, ...counts, learnedTo, ...head });
  for (const [item, id] of items.entries()) yield JSON.stringify({ item: id, ...row(item) });
  for (const user of users) yield JSON.stringify(user);
}

interface Content {
  readonly head: object;
  readonly row: ItemRow;
  readonly users: readonly object[];
}

function contentOf(learned: Learned): Content {
  switch (learned.kind) {
    case 'popularity':
      return { head: {}, row: (item) => ({ positives: learned.counts[item] }), users: [] };
    case 'user-knn': {
      const { neighbours, users, rows } = learned;
      const rated = users.map((user, n) => ({ user, ...entries(rows, n, 'items', 'ratings') }));
      return { head: { neighbours }, row: () => ({}), users: rated };
    }
    case 'item-knn':
      return {
        head: {},
        row: (item) => entries(learned.nearest, item, 'nearest', 'similarities'),
        users: [],
      };
    case 'ials': {
      const { item: rows, size, lambda, alpha, positiveFrom } = learned;
      const head = { factors: size, lambda, alpha, positiveFrom };
      return { head, row: (item) => ({ factors: slice(rows, item, size, size) }), users: [] };
    }
    default: {
      const { factors, propensities } = learned;
      const { size, item: rows, offset, ridge } = factors;
      return {
        head: { factors: size, offset, ridge, propensities },
        row: (item) => ({
          factors: slice(rows, item, size + 1, size),
          offset: rows[item * (size + 1) + size],
        }),
        users: [],
      };
    }
  }
}

function slice(rows: Float64Array, row: number, width: number, length: number): number[] {
  return [...rows.subarray(row * width, row * width + length)];
}

/** A sparse row as two lists of the same length. */
function entries(
  { start, column, value }: SparseRows,
  row: number,
  columns: string,
  values: string,
) {
  const [from, to] = [start[row], start[row + 1]];
  return {
    [columns]: [...column.subarray(from, to)],
    [values]: [...value.subarray(from, to)],
  };
}
