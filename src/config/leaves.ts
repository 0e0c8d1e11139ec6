import { type TSchema, Type } from 'typebox';
import { ConfigSchema } from './schema.js';

/** One value of the configuration: where it stands and what is known of it. */
export interface Leaf {
  /** As in a file, e.g. `kafka.clientId`. */
  readonly path: string;
  /** Name of its environment variable, e.g. `UNSKEW_KAFKA_CLIENT_ID`. */
  readonly variable: string;
  readonly schema: TSchema;
  readonly expected: string;
  readonly defaultValue: unknown;
  readonly required: boolean;
  readonly secret: boolean;
  /** What the service alone takes without it. */
  readonly serviceDefault: unknown;
}

/** The schema of the groups (`kafka`, `kafka.topics`, …) by path; '' is the whole. */
export const GROUPS: ReadonlyMap<string, readonly string[]> = new Map(groupsOf('', ConfigSchema));

/** Every leaf of the schema, in its order, by path. */
export const LEAVES: ReadonlyMap<string, Leaf> = new Map(
  leavesOf('', ConfigSchema).map((leaf) => [leaf.path, leaf]),
);

export const LEAVES_BY_VARIABLE: ReadonlyMap<string, Leaf> = new Map(
  [...LEAVES.values()].map((leaf) => [leaf.variable, leaf]),
);

/** `kafka.clientId` → `UNSKEW_KAFKA_CLIENT_ID`. */
function variableName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (capital) => `_${capital}`);
  return `UNSKEW_${words.toUpperCase()}`;
}

function leavesOf(prefix: string, schema: TSchema): Leaf[] {
  if (!Type.IsObject(schema)) return [leafOf(prefix, schema)];
  return Object.entries(schema.properties).flatMap(([key, child]) =>
    leavesOf(joined(prefix, key), child),
  );
}

function leafOf(path: string, schema: TSchema): Leaf {
  const notes = schema as {
    expected?: string;
    default?: unknown;
    secret?: boolean;
    serviceDefault?: unknown;
  };
  if (notes.expected === undefined) throw new TypeError(`${path} does not say what it expects`);
  return {
    path,
    variable: variableName(path),
    schema,
    expected: notes.expected,
    defaultValue: notes.default,
    required: !Type.IsOptional(schema),
    secret: notes.secret === true,
    serviceDefault: notes.serviceDefault,
  };
}

function groupsOf(prefix: string, schema: TSchema): [string, readonly string[]][] {
  if (!Type.IsObject(schema)) return [];
  const keys = Object.keys(schema.properties);
  const below = keys.flatMap((key) => groupsOf(joined(prefix, key), schema.properties[key]!));
  return [[prefix, keys], ...below];
}

export function joined(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`;
}
