import { Value } from 'typebox/value';
import { RENAMED, type RemovedSetting, removedByVariable, removedPath } from './former-keys.js';
import { joined, type KeyIndex, variableName } from './key-index.js';
import { isPreset, PRESETS } from './presets.js';
import type { JsonSchema } from './schema.js';
import { didYouMean } from './spelling.js';
import { readYaml } from './yaml-file.js';

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/**
 * Settings from one source (file, environment or command line): values by path, each with its
 * origin, and the errors found.
 */
export interface Layer {
  readonly values: Map<string, Given>;
  /** Values given under former names of keys, by the former path. */
  readonly former: Map<string, Given>;
  readonly faults: string[];
  readonly removed: RemovedSetting[];
}

function emptyLayer(): Layer {
  return {
    values: new Map(),
    former: new Map(),
    faults: [],
    removed: [],
  };
}

/** Read the settings of a YAML file. Throws if the file does not exist or is not YAML. */
export function fileLayer(file: string, keys: KeyIndex): Layer {
  const { tree, originOf } = readYaml(file);
  const layer = emptyLayer();
  place(
    {
      layer,
      keys,
      originOf,
    },
    '',
    tree ?? {},
    [],
  );
  return layer;
}

interface Placing {
  readonly layer: Layer;
  readonly keys: KeyIndex;
  readonly originOf: (names: readonly string[]) => string;
}

/** Add a value to the layer, descending through sections until the path is a key's. */
function place(to: Placing, path: string, value: unknown, names: readonly string[]): void {
  const { layer, keys, originOf } = to;
  // In YAML, a key without a value means "not given".
  if (value === null) return;
  if (keys.leaves.has(path)) {
    layer.values.set(path, {
      value,
      origin: originOf(names),
    });
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    // The value may contain a secret field, so it is not quoted.
    const expected =
      keys.byPath.get(path)?.expected ?? `a group of settings, found ${shown(value)}`;
    layer.faults.push(
      `${originOf(names)}: ${path === '' ? 'the file' : path}: expected ${expected}`,
    );
    return;
  }
  const known = keys.sections.get(path)!;
  for (const [name, child] of Object.entries(value)) {
    const below = [...names, name];
    const childPath = joined(path, name);
    if (known.includes(name)) {
      place(to, childPath, child, below);
    } else if (child !== null || !isFormer(childPath)) {
      const hint = didYouMean(name, known);
      const given = {
        value: child,
        origin: originOf(below),
      };
      placeUnknown(layer, childPath, given, `${childPath}: unknown setting${hint}`);
    }
  }
}

function isFormer(path: string): boolean {
  return Object.hasOwn(RENAMED, path) || removedPath(path) !== undefined;
}

/** Handle a path that is no key: a former or removed key, or else a mistyped one. */
function placeUnknown(layer: Layer, path: string, given: Given, otherwise: string): void {
  const removed = removedPath(path);
  if (Object.hasOwn(RENAMED, path)) {
    layer.former.set(path, given);
  } else if (removed === undefined) {
    layer.faults.push(`${given.origin}: ${otherwise}`);
  } else {
    layer.removed.push({
      path: removed,
      origin: given.origin,
    });
  }
}

/** Environment variables with the prefix `UNSKEW_` that are not settings. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(['UNSKEW_CONFIG', 'UNSKEW_DATA']);

/** Variables that Kubernetes sets in every pod for a service named `unskew` or `unskew-…`. */
const SERVICE_LINK =
  /^UNSKEW_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Read `UNSKEW_…` variables. An unknown one is an error, since it is probably mistyped. */
export function environmentLayer(
  env: Readonly<Record<string, string | undefined>>,
  keys: KeyIndex,
): Layer {
  const layer = emptyLayer();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('UNSKEW_') || text === undefined || OTHER_VARIABLES.has(name)) continue;
    const isLink = SERVICE_LINK.test(name);
    const path = keys.byVariable.get(name)?.path ?? (isLink ? undefined : formerOfVariable(name));
    if (path !== undefined) {
      placeGiven(layer, keys, path, {
        value: text,
        origin: name,
      });
    } else if (!isLink) {
      const hint = didYouMean(name, keys.byVariable.keys());
      layer.faults.push(`${name}: unknown environment variable${hint}`);
    }
  }
  return layer;
}

/** Former key, or removed key or section, that an environment variable belongs to. */
function formerOfVariable(name: string): string | undefined {
  const renamed = Object.keys(RENAMED).find((path) => variableName(path) === name);
  return renamed ?? removedByVariable(name);
}

/** Read the settings that the command line gives by path, from flags and `--set`. */
export function overrideLayer(
  overrides: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
  keys: KeyIndex,
): Layer {
  const layer = emptyLayer();
  for (const [path, value] of Object.entries(overrides)) {
    if (value === undefined) continue;
    placeGiven(layer, keys, path, {
      value,
      origin: origins[path] ?? 'command line',
    });
  }
  return layer;
}

/**
 * Add a value that was given by path. Text is converted to the type of its key; a key with fields
 * takes JSON.
 */
function placeGiven(layer: Layer, keys: KeyIndex, path: string, given: Given): void {
  const { value, origin } = given;
  const key = keys.byPath.get(path) ?? keys.leaves.get(path);
  if (key === undefined) {
    const hint = didYouMean(path, keys.leaves.keys());
    placeUnknown(layer, path, given, `${path}: unknown setting${hint}`);
  } else if (key.fields !== undefined) {
    const fields = typeof value === 'string' ? (parsedJson(value.trim()) ?? value) : value;
    place(
      {
        layer,
        keys,
        originOf: () => origin,
      },
      path,
      fields,
      [],
    );
  } else {
    const read = typeof value === 'string' ? fromText(key.schema, value) : value;
    layer.values.set(path, {
      value: read,
      origin,
    });
  }
}

/**
 * Move values from former names of keys to current ones. Giving both names is an error, since it is
 * unclear which one counts.
 *
 * @returns a warning for each former name, by the path of the current one
 */
export function takeFormer(
  layers: readonly Layer[],
  keys: KeyIndex,
): (readonly [string, string])[] {
  const warnings: (readonly [string, string])[] = [];
  for (const layer of layers) {
    for (const [old, { value, origin }] of layer.former) {
      const { to, converted = (written: unknown) => written, beside } = RENAMED[old]!;
      const { schema } = keys.leaves.get(to)!;
      const taken = converted(typeof value === 'string' ? fromText(schema, value) : value);
      warnings.push([to, `${origin}: ${old}: this is the old name of ${to}; use the new name`]);
      for (const { values } of layers) {
        if (values.get(to)?.value === beside) {
          values.delete(to);
        }
      }
      const other = layers.map(({ values }) => values.get(to)).findLast((given) => given);
      if (taken === undefined) {
        if (other !== undefined) continue;
        layer.faults.push(`${origin}: ${old}: set ${to}, which the value ${shown(value)} requires`);
      } else if (other === undefined) {
        layer.values.set(to, {
          value: taken,
          origin,
        });
      } else {
        const both = `this is the old name of ${to}, which is also set (${other.origin})`;
        layer.faults.push(`${origin}: ${old}: ${both}; remove the old name`);
      }
    }
  }
  return warnings;
}

/** Settings of the preset that is named in the other layers. The other layers take precedence. */
export function presetLayer(stronger: readonly Layer[]): Layer {
  const name = stronger.map(({ values }) => values.get('preset')).findLast((given) => given)?.value;
  const layer = emptyLayer();
  // An unknown name is rejected later, with all other values.
  if (!isPreset(name)) return layer;
  for (const [path, value] of Object.entries(PRESETS[name])) {
    layer.values.set(path, {
      value,
      origin: `preset ${name}`,
    });
  }
  return layer;
}

/**
 * Convert text to the type that a schema expects: `5` becomes a number for a count, and stays text
 * for a name.
 */
export function fromText(schema: JsonSchema, text: string): unknown {
  const { items } = schema as { items?: JsonSchema };
  if (items !== undefined) {
    // Objects contain commas, so a list of objects is written as JSON.
    if (items['type'] === 'object') return parsedJson(text.trim()) ?? text;
    const parts = text.trim() === '' ? [] : text.split(',');
    return parts.map((part) => fromText(items, part.trim()));
  }
  const trimmed = text.trim();
  const parsed = NUMBER.test(trimmed) ? Number(trimmed) : parsedJson(trimmed);
  return parsed !== undefined && Value.Check(schema, parsed) ? parsed : text;
}

/** Pattern of numbers as people write them, including `.5` and `5.`, which JSON does not allow. */
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parse true, false, an object or a list from JSON; undefined for other text. */
function parsedJson(text: string): unknown {
  if (!/^(true|false|\{.*\}|\[.*\])$/is.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The text stays as it is; a key that does not accept text rejects it later.
    return undefined;
  }
}

/** Format a value for an error message, short and on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
