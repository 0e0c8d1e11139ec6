import { readFileSync } from 'node:fs';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { LineCounter, parseDocument } from 'yaml';
import { UnskewError } from '../errors.js';
import { GROUPS, joined, LEAVES, LEAVES_BY_VARIABLE } from './leaves.js';
import { didYouMean } from './spelling.js';

/** Values by path with the place each was given at, and what could not be placed. */
export interface Layer {
  readonly values: Map<string, { readonly value: unknown; readonly origin: string }>;
  readonly faults: string[];
}

/** Reads a YAML file; one that is absent or no YAML ends the reading at once. */
export function fileLayer(file: string): Layer {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return `${file}:${line}:${col}: ${error.message}`;
    });
    throw new UnskewError('USAGE', faults.join('\n'));
  }
  const layer: Layer = { values: new Map(), faults: [] };
  const originOf = (keys: readonly string[]): string => {
    const node = document.getIn(keys, true) as { range?: [number, number, number] } | undefined;
    return node?.range ? `${file}:${lines.linePos(node.range[0]).line}` : file;
  };
  place(layer, '', document.toJS() ?? {}, [], originOf);
  return layer;
}

/** Walks groups down to leaves; what is under a leaf is its value as a whole. */
function place(
  layer: Layer,
  path: string,
  value: unknown,
  keys: readonly string[],
  originOf: (keys: readonly string[]) => string,
): void {
  if (LEAVES.has(path)) {
    // A key without a value is how YAML writes "not given".
    if (value !== null) layer.values.set(path, { value, origin: originOf(keys) });
    return;
  }
  if (value === null) return;
  if (typeof value !== 'object' || Array.isArray(value)) {
    const found = `expected a group of settings, found ${shown(value)}`;
    layer.faults.push(`${originOf(keys)}: ${path === '' ? 'the file' : path}: ${found}`);
    return;
  }
  const known = GROUPS.get(path)!;
  for (const [key, child] of Object.entries(value)) {
    const childKeys = [...keys, key];
    const childPath = joined(path, key);
    if (known.includes(key)) place(layer, childPath, child, childKeys, originOf);
    else {
      const hint = didYouMean(key, known);
      layer.faults.push(`${originOf(childKeys)}: ${childPath}: unknown setting${hint}`);
    }
  }
}

/** Variables with the prefix that are no settings. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(['UNSKEW_CONFIG', 'UNSKEW_DATA']);

/** Kubernetes gives every pod such variables for a service that is named `unskew` or `unskew-…`. */
const SERVICE_LINK =
  /^UNSKEW_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Reads `UNSKEW_…` variables; an unknown one is a fault, since it is most likely mistyped. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const layer: Layer = { values: new Map(), faults: [] };
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('UNSKEW_') || text === undefined || OTHER_VARIABLES.has(name)) continue;
    const leaf = LEAVES_BY_VARIABLE.get(name);
    if (leaf !== undefined) {
      layer.values.set(leaf.path, { value: fromText(leaf.schema, text), origin: name });
    } else if (!SERVICE_LINK.test(name)) {
      const hint = didYouMean(name, LEAVES_BY_VARIABLE.keys());
      layer.faults.push(`${name}: unknown environment variable${hint}`);
    }
  }
  return layer;
}

/** Values given by path on the command line. */
export function overrideLayer(
  overrides: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
): Layer {
  const layer: Layer = { values: new Map(), faults: [] };
  for (const [path, given] of Object.entries(overrides)) {
    if (given === undefined) continue;
    const origin = origins[path] ?? 'command line';
    const leaf = LEAVES.get(path);
    if (leaf === undefined) {
      layer.faults.push(`${origin}: ${path}: unknown setting${didYouMean(path, LEAVES.keys())}`);
    } else {
      const value = typeof given === 'string' ? fromText(leaf.schema, given) : given;
      layer.values.set(path, { value, origin });
    }
  }
  return layer;
}

/** What a text means is what its setting takes: `5` is a number for a count, a text for a name. */
function fromText(schema: TSchema, text: string): unknown {
  if (Type.IsArray(schema)) {
    const parts = text.trim() === '' ? [] : text.split(',');
    return parts.map((part) => fromText(schema.items, part.trim()));
  }
  const trimmed = text.trim();
  if (/^(-?[0-9.]+(e[+-]?\d+)?|true|false|\{.*\})$/is.test(trimmed)) {
    const parsed = parsedJson(trimmed);
    if (Value.Check(schema, parsed)) return parsed;
  }
  return text;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the text stays as it is, and is refused as such where the setting takes no text.
    return text;
  }
}

/** A value as it is quoted in a message: short, on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'no such file'
        : (error as Error).message;
    throw new UnskewError('USAGE', `configuration ${file}: ${reason}`, { cause: error });
  }
}
