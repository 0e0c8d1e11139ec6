import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { readLines } from '../../adapters/files/lines.js';
import { UnskewError } from '../../errors.js';
import type { Learned, LearnedModel } from './learned-model.js';
import type { Propensities } from './propensities.js';
import type { SparseRows } from './rating-rows.js';
import { KINDS, type Kind } from './train-options.js';

/**
 * Schema of a model file: a header line, one line per item, then, for kinds that store users, one
 * line per user.
 */
export const MODEL_SCHEMA = 'unskew/model@1';

/** Returns the line of an item, without the item's id. */
type ItemRow = (item: number) => object;

/**
 * Write a model as lines of JSON; the file appears complete or not at all.
 *
 *   {"schema":"unskew/model@1","kind":"mf","items":300,"users":0,…}
 *   {"item":"i000","factors":[…],"offset":0.1}
 *
 * @throws UnskewError FILE if it cannot be written
 */
export async function writeModel(path: string, model: LearnedModel): Promise<void> {
  const writer = await openLineWriter(path);
  try {
    for (const line of modelLines(model)) {
      await writer.write(line);
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Yield the lines of a model file. */
function* modelLines({ items, learned, learnedTo }: LearnedModel): Generator<string> {
  const { head, row, users } = contentOf(learned);
  const { kind } = learned;
  const counts = {
    items: items.length,
    users: users.length,
  };
  yield JSON.stringify({
    schema: MODEL_SCHEMA,
    kind,
    ...counts,
    learnedTo,
    ...head,
  });
  for (const [item, id] of items.entries()) {
    yield JSON.stringify({
      item: id,
      ...row(item),
    });
  }
  for (const user of users) {
    yield JSON.stringify(user);
  }
}

interface Content {
  readonly head: object;
  readonly row: ItemRow;
  readonly users: readonly object[];
}

function contentOf(learned: Learned): Content {
  switch (learned.kind) {
    case 'popularity':
      return {
        head: {},
        row: (item) => ({ positives: learned.counts[item] }),
        users: [],
      };
    case 'user-knn': {
      const { neighbours, users, rows } = learned;
      const rated = users.map((user, n) => ({
        user,
        ...entries(rows, n, 'items', 'ratings'),
      }));
      return {
        head: { neighbours },
        row: () => ({}),
        users: rated,
      };
    }
    case 'item-knn':
      return {
        head: {},
        row: (item) => entries(learned.nearest, item, 'nearest', 'similarities'),
        users: [],
      };
    case 'ials': {
      const { item: rows, size, lambda, alpha, positiveFrom } = learned;
      const head = {
        factors: size,
        lambda,
        alpha,
        positiveFrom,
      };
      return {
        head,
        row: (item) => ({ factors: slice(rows, item, size, size) }),
        users: [],
      };
    }
    default: {
      const { factors, propensities } = learned;
      const { size, item: rows, offset, ridge, loss } = factors;
      return {
        head: {
          factors: size,
          offset,
          ridge,
          propensities,
          // Files without a loss are from versions that had only squared error.
          ...(loss === 'absolute' && { loss }),
        },
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

/** Convert a row of a sparse matrix to two lists of the same length: columns and values. */
function entries(
  { start, column, value }: SparseRows,
  row: number,
  columns: string,
  values: string,
) {
  const from = start[row];
  const to = start[row + 1];
  return {
    [columns]: [...column.subarray(from, to)],
    [values]: [...value.subarray(from, to)],
  };
}

const COUNT = Type.Integer({ minimum: 0 });
const NUMBERS = Type.Array(Type.Number());
const NUMBERED = Type.Array(COUNT);

const PROPENSITIES = Type.Union([
  Type.Object({
    source: Type.Literal('even'),
    propensity: Type.Number({ exclusiveMinimum: 0 }),
  }),
  Type.Object({
    source: Type.Literal('nb'),
    rating: NUMBERS,
    propensity: NUMBERS,
  }),
  Type.Object({ source: Type.Literal('logged') }),
  Type.Object({
    source: Type.Literal('file'),
    version: Type.String(),
  }),
]);

const FACTORS = {
  factors: COUNT,
  offset: Type.Number(),
  ridge: Type.Number(),
  loss: Type.Optional(Type.Literal('absolute')),
  propensities: PROPENSITIES,
};

/** Fields that the header line of each kind of model has in addition to schema, kind and counts. */
const HEADS = {
  popularity: Type.Object({}),
  'user-knn': Type.Object({ neighbours: COUNT }),
  'item-knn': Type.Object({}),
  ials: Type.Object({
    factors: COUNT,
    lambda: Type.Number({ exclusiveMinimum: 0 }),
    alpha: Type.Number(),
    positiveFrom: Type.Number(),
  }),
  mf: Type.Object(FACTORS),
  'mf-ips': Type.Object(FACTORS),
} as const;

const ITEM = { item: Type.String({ minLength: 1 }) };

/** Fields of an item's line, by kind of model. */
const ROWS = {
  popularity: Type.Object({
    ...ITEM,
    positives: COUNT,
  }),
  'user-knn': Type.Object(ITEM),
  'item-knn': Type.Object({
    ...ITEM,
    nearest: NUMBERED,
    similarities: NUMBERS,
  }),
  ials: Type.Object({
    ...ITEM,
    factors: NUMBERS,
  }),
  mf: Type.Object({
    ...ITEM,
    factors: NUMBERS,
    offset: Type.Number(),
  }),
  'mf-ips': Type.Object({
    ...ITEM,
    factors: NUMBERS,
    offset: Type.Number(),
  }),
} as const;

const USER = Type.Object({
  user: Type.String({ minLength: 1 }),
  items: NUMBERED,
  ratings: NUMBERS,
});

const HEAD = Type.Object({
  schema: Type.Literal(MODEL_SCHEMA),
  kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
  items: COUNT,
  users: COUNT,
  learnedTo: Type.Optional(COUNT),
});

/**
 * Maximum length of a line, bytes; enough for a user of a neighbourhood model who rated all items.
 */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

interface Head {
  readonly kind: Kind;
  readonly items: number;
  readonly users: number;
  readonly learnedTo?: number;
  readonly [field: string]: unknown;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Read a file that `writeModel` wrote.
 *
 * @throws UnskewError FILE, with file and line, if it is not a model file, was cut short or changed
 */
export async function readModel(path: string): Promise<LearnedModel> {
  let head: Head | undefined;
  const items: Row[] = [];
  const users: Row[] = [];
  const refuse = (what: string): never => {
    throw new UnskewError('FILE', `${path}: ${what}`);
  };
  await readLines(
    path,
    (bytes, start, end, line) => {
      const value = jsonOf(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start));
      if (head === undefined) {
        if (!Value.Check(HEAD, value)) return refuse(`it is not a model (${MODEL_SCHEMA})`);
        if (!Value.Check(HEADS[value.kind], value)) {
          refuse('its first line is malformed');
        }
        head = value as unknown as Head;
        return;
      }
      const isItem = items.length < head.items;
      if (!Value.Check(isItem ? ROWS[head.kind] : USER, value)) {
        refuse(`line ${line} is malformed`);
      }
      (isItem ? items : users).push(value as Row);
    },
    { maxLineBytes: MAX_LINE_BYTES },
  );
  if (head === undefined) return refuse('the file is empty');
  if (items.length !== head.items || users.length !== head.users) {
    refuse('it was cut short');
  }
  const learned = learnedOf(head, items, users, refuse);
  const { learnedTo } = head;
  return {
    items: items.map(({ item }) => item as string),
    learned,
    learnedTo,
  };
}

type Refuse = (what: string) => never;

function learnedOf(
  head: Head,
  items: readonly Row[],
  users: readonly Row[],
  refuse: Refuse,
): Learned {
  const { kind } = head;
  switch (kind) {
    case 'popularity':
      return {
        kind,
        counts: Float64Array.from(items, ({ positives }) => positives as number),
      };
    case 'user-knn':
      return {
        kind,
        neighbours: head['neighbours'] as number,
        users: users.map(({ user }) => user as string),
        rows: sparse(users, 'items', 'ratings', items.length, refuse),
      };
    case 'item-knn':
      return {
        kind,
        nearest: sparse(items, 'nearest', 'similarities', items.length, refuse),
      };
    case 'ials':
      return {
        kind,
        size: head['factors'] as number,
        lambda: head['lambda'] as number,
        alpha: head['alpha'] as number,
        positiveFrom: head['positiveFrom'] as number,
        item: dense(items, head['factors'] as number, refuse),
      };
    default:
      return {
        kind,
        ...factorsOf(head, items, refuse),
      };
  }
}

function factorsOf(head: Head, items: readonly Row[], refuse: Refuse) {
  const size = head['factors'] as number;
  const item = new Float64Array(items.length * (size + 1));
  const factors = dense(items, size, refuse);
  items.forEach(({ offset }, i) => {
    item.set(factors.subarray(i * size, (i + 1) * size), i * (size + 1));
    item[i * (size + 1) + size] = offset as number;
  });
  const offset = head['offset'] as number;
  const ridge = head['ridge'] as number;
  return {
    factors: {
      size,
      item,
      offset,
      ridge,
      loss: head['loss'] as 'absolute' | undefined,
    },
    propensities: head['propensities'] as Propensities,
  };
}

function dense(rows: readonly Row[], size: number, refuse: Refuse): Float64Array {
  const values = new Float64Array(rows.length * size);
  rows.forEach((row, n) => {
    const factors = row['factors'] as readonly number[];
    if (factors.length !== size) {
      refuse(`item ${n} has ${factors.length} factors, not ${size}`);
    }
    values.set(factors, n * size);
  });
  return values;
}

function sparse(
  rows: readonly Row[],
  columns: string,
  values: string,
  items: number,
  refuse: Refuse,
): SparseRows {
  const start = new Int32Array(rows.length + 1);
  rows.forEach((row, n) => {
    const column = row[columns] as number[];
    const value = row[values] as number[];
    if (column.length !== value.length) {
      refuse(`row ${n} has lists of different lengths`);
    }
    if (column.some((item) => item >= items)) {
      refuse(`row ${n} refers to an item that the model does not have`);
    }
    start[n + 1] = start[n] + column.length;
  });
  return {
    start,
    column: Int32Array.from(rows.flatMap((row) => row[columns] as number[])),
    value: Float64Array.from(rows.flatMap((row) => row[values] as number[])),
  };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
