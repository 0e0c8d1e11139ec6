import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { fileError } from '../../adapters/files/file-error.js';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import type { PropensityFigures } from '../../estimators/propensity/propensity-figures.js';
import type { PropensityModel } from '../../estimators/propensity/propensity-file.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';

const Side = Type.Object({
  ids: Type.Array(Type.String()),
  names: Type.Array(Type.String()),
  features: Type.Array(Type.Array(Type.Number())),
  offsets: Type.Union([Type.Null(), Type.Array(Type.Number())]),
});

const Shape = Type.Union([
  Type.Object({
    kind: Type.Literal('nb'),
    smoothing: Type.Number(),
    values: Type.Array(
      Type.Object({
        rating: Type.Number(),
        chosen: Type.Number(),
        random: Type.Number(),
        propensity: Type.Number({
          minimum: 0,
          maximum: 1,
        }),
      }),
    ),
  }),
  Type.Object({
    kind: Type.Literal('lr'),
    intercept: Type.Number(),
    weights: Type.Array(Type.Array(Type.Number())),
    users: Side,
    items: Side,
    itemSums: Type.Optional(Type.Array(Type.Number({ minimum: 0 }))),
  }),
]);

const Comparison = Type.Object({
  with: Type.Union([Type.Literal('nb'), Type.Literal('lr')]),
  largestRatio: Type.Number(),
  means: Type.Tuple([Type.Number(), Type.Number()]),
  margin: Type.Number(),
  doDisagree: Type.Boolean(),
});

/** Schema of the file's content, compiled, since a file may have millions of numbers. */
const Content = Compile(
  Type.Object({
    kind: Type.Union([Type.Literal('nb'), Type.Literal('lr')]),
    date: Type.String(),
    figures: Type.Object({ comparison: Type.Union([Type.Null(), Comparison]) }),
    model: Shape,
  }),
);

type Model = Static<typeof Shape>;
type Logistic = Extract<Model, { kind: 'lr' }>;

/**
 * Check the content of a file. A file of another program may have a valid version, but inconsistent
 * content.
 */
function checkContent(content: unknown, refuse: (what: string) => never): void {
  if (!Content.Check(content)) {
    const [fault] = Content.Errors(content);
    const where = `${fault?.instancePath ?? ''} ${fault?.message ?? ''}`.trim();
    refuse(`its content is malformed: ${where}`);
  }
  const { kind, date, model } = content;
  if (Number.isNaN(Date.parse(date))) {
    refuse(`its date is not a date: ${date}`);
  }
  if (kind !== model.kind) {
    refuse(`its kind is ${kind}, but its model is of kind ${model.kind}`);
  }
  const misfit = model.kind === 'nb' ? withoutChance(model.values) : misfitOf(model);
  if (misfit !== undefined) {
    refuse(`its model is malformed: ${misfit}`);
  }
}

function withoutChance(values: Extract<Model, { kind: 'nb' }>['values']): string | undefined {
  const found = values.find(({ chosen, propensity }) => chosen > 0 && propensity === 0);
  return found && `users chose to give ratings of ${found.rating}, but their propensity is 0`;
}

/** Describe a mismatch between the sizes of a regression's parts; undefined if all match. */
function misfitOf({ weights, users, items, itemSums }: Logistic): string | undefined {
  const columns = weights[0]?.length ?? 0;
  if (weights.some((row) => row.length !== columns)) return 'weights have rows of several lengths';
  if (itemSums !== undefined && itemSums.length !== items.ids.length) {
    return `${items.ids.length} items have ${itemSums.length} sums`;
  }
  const sides = [
    ['users', users, weights.length],
    ['items', items, columns],
  ] as const;
  for (const [name, { ids, features, offsets }, width] of sides) {
    // Without weights, features have no effect.
    const isWide = weights.length > 0 && features.some((row) => row.length !== width);
    if (features.length !== ids.length || isWide) return `features of ${name} do not fit`;
    if (offsets !== null && offsets.length !== ids.length) return `offsets of ${name} do not fit`;
  }
  return undefined;
}

export const PROPENSITIES_SCHEMA = 'unskew/propensities@1';

export interface StoredPropensities extends PropensityStamp {
  readonly schema: typeof PROPENSITIES_SCHEMA;
  readonly counts: {
    readonly users: number;
    readonly items: number;
    readonly pairs: number;
    readonly chosen: number;
    readonly random: number;
  };
  readonly figures: PropensityFigures;
  readonly model: PropensityModel;
}

/** Content of a propensities file without `schema` and `version`, which `stamped` adds. */
export type PropensityContent = Omit<StoredPropensities, 'schema' | 'version'>;

export function stamped(content: PropensityContent): StoredPropensities {
  return {
    schema: PROPENSITIES_SCHEMA,
    version: versionOf(content),
    ...content,
  };
}

/**
 * Write a propensities file, which replaces an existing one only when it is complete.
 *
 * @throws UnskewError FILE
 */
export async function writePropensities(path: string, stored: StoredPropensities): Promise<void> {
  const file = await openLineWriter(path);
  try {
    await file.write(JSON.stringify(stored));
    await file.close();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/**
 * Read a propensities file.
 *
 * @throws UnskewError FILE if it cannot be read, has another schema, or was changed.
 */
export async function readPropensities(path: string): Promise<StoredPropensities> {
  return propensitiesIn(await propensityBytes(path), path);
}

/** Read the bytes of a propensities file. @throws UnskewError FILE */
export function propensityBytes(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw fileError('read', path, error);
  });
}

/** Parse the bytes of a propensities file. @throws UnskewError FILE as `readPropensities` */
export function propensitiesIn(bytes: Buffer, path: string): StoredPropensities {
  const text = bytes.toString('utf8');
  const refuse = (what: string): never => {
    throw new UnskewError('FILE', `${path}: ${what}`);
  };
  let found: Partial<StoredPropensities>;
  try {
    found = JSON.parse(text) as Partial<StoredPropensities>;
  } catch {
    return refuse('not a file of `unskew propensities`');
  }
  if (found?.schema !== PROPENSITIES_SCHEMA) {
    return refuse(
      `not a file of \`unskew propensities\`, which is of schema ${PROPENSITIES_SCHEMA}`,
    );
  }
  const { schema: _schema, version, ...content } = found;
  if (version !== writtenVersion(text) && version !== versionOf(content as PropensityContent)) {
    return refuse('it was changed or cut short: its content does not match its version');
  }
  checkContent(content, refuse);
  return found as StoredPropensities;
}

function versionOf(content: PropensityContent): string {
  return hashed(JSON.stringify(content));
}

/**
 * Compute the version that a file should state. It is computed from the file's text, so the content
 * is not serialised again. Undefined if the text does not begin as `writePropensities` writes it.
 */
function writtenVersion(text: string): string | undefined {
  const head = /^\{"schema":"[^"]*","version":"[^"]*",/.exec(text)?.[0];
  return head && hashed(`{${text.slice(head.length).trimEnd()}`);
}

function hashed(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
