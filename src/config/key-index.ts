import { isKey, type Key, type Section } from './key.js';

/** A key where it stands. */
export interface PlacedKey extends Key {
  /** As in a file, e.g. `kafka.clientId`. */
  readonly path: string;
  /** Name of its environment variable, e.g. `UNSKEW_KAFKA_CLIENT_ID`. */
  readonly variable: string;
}

/** Keys by the names they are given under. */
export class KeyIndex {
  /** In their order. */
  readonly byPath: ReadonlyMap<string, PlacedKey>;
  readonly byVariable: ReadonlyMap<string, PlacedKey>;
  /** Names in each section (`kafka`, `kafka.topics`, …) by its path; '' is the whole. */
  readonly sections: ReadonlyMap<string, readonly string[]>;

  constructor(root: Section) {
    const keys = [...placed('', root)];
    this.byPath = new Map(keys.map((key) => [key.path, key]));
    this.byVariable = new Map(keys.map((key) => [key.variable, key]));
    this.sections = new Map(sections('', root));
  }
}

export function joined(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

function* placed(prefix: string, section: Section): Generator<PlacedKey> {
  for (const [name, node] of Object.entries(section)) {
    const path = joined(prefix, name);
    if (isKey(node)) yield { ...node, path, variable: variableName(path) };
    else yield* placed(path, node);
  }
}

function* sections(
  prefix: string,
  section: Section,
): Generator<readonly [string, readonly string[]]> {
  yield [prefix, Object.keys(section)];
  for (const [name, node] of Object.entries(section)) {
    if (!isKey(node)) yield* sections(joined(prefix, name), node);
  }
}

/** `kafka.clientId` → `UNSKEW_KAFKA_CLIENT_ID`. */
export function variableName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (capital) => `_${capital}`);
  return `UNSKEW_${words.toUpperCase()}`;
}
