import { isKey, type Key, type Section } from './key.js';

/** A configuration key together with its path. */
export interface PlacedKey extends Key {
  /** Path of the key in a configuration file, e.g. `kafka.groupId`. */
  readonly path: string;
  /** Name of its environment variable, e.g. `UNSKEW_KAFKA_GROUP_ID`. */
  readonly variable: string;
}

/** Index of the configuration keys by path and by environment variable. */
export class KeyIndex {
  /** Keys by path, in the order of their definition. A key with several fields is one entry. */
  readonly byPath: ReadonlyMap<string, PlacedKey>;
  /**
   * Keys that hold a single value, by path, in the order of their definition: a key with fields is
   * replaced by its fields.
   */
  readonly leaves: ReadonlyMap<string, PlacedKey>;
  /** Keys, and fields of keys, by environment variable. */
  readonly byVariable: ReadonlyMap<string, PlacedKey>;
  /**
   * Names of the entries in each section (`kafka`, `kafka.topics`, …) and in each key with fields,
   * by the path of the section or key; the root has the path ''.
   */
  readonly sections: ReadonlyMap<string, readonly string[]>;

  constructor(root: Section) {
    const keys = [...placed('', root)];
    const leaves = keys.flatMap((key) => [...fieldsOf(key)]);
    this.byPath = new Map(keys.map((key) => [key.path, key]));
    this.leaves = new Map(leaves.map((key) => [key.path, key]));
    this.byVariable = new Map([...keys, ...leaves].map((key) => [key.variable, key]));
    this.sections = new Map(sections('', root));
  }
}

export function joined(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

function* placed(prefix: string, section: Section): Generator<PlacedKey> {
  for (const [name, node] of Object.entries(section)) {
    const path = joined(prefix, name);
    if (isKey(node)) {
      yield {
        ...node,
        path,
        variable: variableName(path),
      };
    } else {
      yield* placed(path, node);
    }
  }
}

/** The fields of a key, or the key itself if it has none. */
function fieldsOf(key: PlacedKey): Iterable<PlacedKey> {
  return key.fields === undefined ? [key] : placed(key.path, key.fields);
}

function* sections(
  prefix: string,
  section: Section,
): Generator<readonly [string, readonly string[]]> {
  yield [prefix, Object.keys(section)];
  for (const [name, node] of Object.entries(section)) {
    const below = isKey(node) ? node.fields : node;
    if (below !== undefined) {
      yield* sections(joined(prefix, name), below);
    }
  }
}

/** Environment variable of a path: `kafka.groupId` → `UNSKEW_KAFKA_GROUP_ID`. */
export function variableName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (capital) => `_${capital}`);
  return `UNSKEW_${words.toUpperCase()}`;
}
