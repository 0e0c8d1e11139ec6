import { Value } from 'typebox/value';
import { type RemovedSetting, removedByVariable, removedPath } from './former-keys.js';
import { joined, type KeyIndex } from './key-index.js';
import { isPreset, PRESETS } from './presets.js';
import type { JsonSchema } from './schema.js';
import { didYouMean } from './spelling.js';
import { readYaml } from './yaml-file.js';

/** Values by path with the place each was given at, and what could not be placed. */
export interface Layer {
  readonly values: Map<string, { readonly value: unknown; readonly origin: string }>;
  readonly faults: string[];
  readonly removed: RemovedSetting[];
}

const emptyLayer = (): Layer => ({ values: new Map(), faults: [], removed: [] });

/** Reads a YAML file; one that is absent or no YAML ends the reading at once. */
export function fileLayer(file: string, keys: KeyIndex): Layer {
  const { tree, originOf } = readYaml(file);
  const layer = emptyLayer();
  place({ layer, keys, originOf }, '', tree ?? {}, []);
  return layer;
}

interface Placing {
  readonly layer: Layer;
  readonly keys: KeyIndex;
  readonly originOf: (names: readonly string[]) => string;
}

/** Walks sections down to keys; what is under a key is its value as a whole. */
function place(to: Placing, path: string, value: unknown, names: readonly string[]): void {
  const { layer, keys, originOf } = to;
  // A key without a value is how YAML writes "not given".
  if (value === null) return;
  if (keys.byPath.has(path)) {
    layer.values.set(path, { value, origin: originOf(names) });
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    const found = `expected a group of settings, found ${shown(value)}`;
    layer.faults.push(`${originOf(names)}: ${path === '' ? 'the file' : path}: ${found}`);
    return;
  }
  const known = keys.sections.get(path)!;
  for (const [name, child] of Object.entries(value)) {
    const below = [...names, name];
    const childPath = joined(path, name);
    const removed = removedPath(childPath);
    if (known.includes(name)) place(to, childPath, child, below);
    else if (removed !== undefined) {
      layer.removed.push({ path: removed, origin: originOf(below) });
    } else {
      const hint = didYouMean(name, known);
      layer.faults.push(`${originOf(below)}: ${childPath}: unknown setting${hint}`);
    }
  }
}

/** Variables with the prefix that are not settings. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(['UNSKEW_CONFIG', 'UNSKEW_DATA']);

/** Kubernetes gives every pod such variables for a service that is named `unskew` or `unskew-…`. */
const SERVICE_LINK =
  /^UNSKEW_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Reads `UNSKEW_…` variables; an unknown one is a fault, since it is most likely mistyped. */
export function environmentLayer(
  env: Readonly<Record<string, string | undefined>>,
  keys: KeyIndex,
): Layer {
  const layer = emptyLayer();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('UNSKEW_') || text === undefined || OTHER_VARIABLES.has(name)) continue;
    const key = keys.byVariable.get(name);
    if (key !== undefined) {
      layer.values.set(key.path, { value: fromText(key.schema, text), origin: name });
    } else if (!SERVICE_LINK.test(name)) {
      const removed = removedByVariable(name);
      if (removed !== undefined) {
        layer.removed.push({ path: removed, origin: name });
        continue;
      }
      const hint = didYouMean(name, keys.byVariable.keys());
      layer.faults.push(`${name}: unknown environment variable${hint}`);
    }
  }
  return layer;
}

/** Values given by path on the command line. */
export function overrideLayer(
  overrides: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
  keys: KeyIndex,
): Layer {
  const layer = emptyLayer();
  for (const [path, given] of Object.entries(overrides)) {
    if (given === undefined) continue;
    const origin = origins[path] ?? 'command line';
    const key = keys.byPath.get(path);
    const removed = removedPath(path);
    if (key === undefined && removed !== undefined) layer.removed.push({ path: removed, origin });
    else if (key === undefined) {
      const hint = didYouMean(path, keys.byPath.keys());
      layer.faults.push(`${origin}: ${path}: unknown setting${hint}`);
    } else {
      const value = typeof given === 'string' ? fromText(key.schema, given) : given;
      layer.values.set(path, { value, origin });
    }
  }
  return layer;
}

/** What the strongest `preset` of the other layers stands for, weaker than all of them. */
export function presetLayer(stronger: readonly Layer[]): Layer {
  const name = stronger.map(({ values }) => values.get('preset')).findLast((given) => given)?.value;
  const layer = emptyLayer();
  // An unknown name is refused where keys are checked.
  if (!isPreset(name)) return layer;
  for (const [path, value] of Object.entries(PRESETS[name])) {
    layer.values.set(path, { value, origin: `preset ${name}` });
  }
  return layer;
}

/** What a text means is what its setting takes: `5` is a number for a count, a text for a name. */
export function fromText(schema: JsonSchema, text: string): unknown {
  const { items } = schema as { items?: JsonSchema };
  if (items !== undefined) {
    // Objects hold commas themselves: a list of them is written as JSON.
    if (items['type'] === 'object') return parsedJson(text.trim()) ?? text;
    const parts = text.trim() === '' ? [] : text.split(',');
    return parts.map((part) => fromText(items, part.trim()));
  }
  const trimmed = text.trim();
  const parsed = NUMBER.test(trimmed) ? Number(trimmed) : parsedJson(trimmed);
  return parsed !== undefined && Value.Check(schema, parsed) ? parsed : text;
}

/** As people write them: `.5` and `5.` too, which JSON does not know. */
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** True, false, an object or a list; undefined if a text is neither, and stays a text. */
function parsedJson(text: string): unknown {
  if (!/^(true|false|\{.*\}|\[.*\])$/is.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The text is refused as such if the key takes none.
    return undefined;
  }
}

/** A value as it is quoted in a message: short, on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
