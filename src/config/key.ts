import type { SettingEffect } from '../stream/checkpoint/changed-settings.js';
import type { JsonSchema } from './schema.js';

/** Commands that read events. */
export const READERS = [
  'serve',
  'intake',
  'replay',
  'evaluate',
  'export',
  'validate',
  'propensities',
  'train',
] as const;

/** Commands that read event files. */
export const FILE_READERS = [
  'replay',
  'evaluate',
  'export',
  'validate',
  'propensities',
  'train',
] as const;

/** Commands that read the configuration. `demo` does not; it has fixed settings. */
export const COMMANDS = [...READERS, 'sql'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Suffix of the name of a decoded value; it names the unit of the value. */
export type Suffix = '' | 'Ms' | 'Bytes';

/**
 * Whether a key always has a value: by default, or derived from other keys if none is given; an
 * `optional` key may have none.
 */
export type Presence = 'default' | 'derived' | 'optional';

export interface StateNote {
  /**
   * Effect on the state. With `reset`, the part of the state that depends on the key starts empty.
   */
  readonly effect: SettingEffect | 'reset';
  /** Explanation of the effect, in a whole sentence. */
  readonly how: string;
}

/** Description of a key, and properties that do not depend on the type of its value. */
export interface KeyNotes {
  /** Description in whole sentences; `--help` shows only the first. */
  readonly description: string;
  /** Commands in which the key has an effect; by default those of its section. */
  readonly commands?: readonly CommandName[];
  /** Flag of the key in its commands, except in `serve`, which has only `--set`. */
  readonly flag?: `--${string}`;
  /** Whether `serve` has the flag too. */
  readonly isFlagOfServe?: boolean;
  /** Placeholder for the flag's value in `--help`; by default the placeholder of the key's kind. */
  readonly argument?: string;
  /**
   * Description of the value that is derived from other keys if none is given, e.g. for `--help`.
   */
  readonly derived?: string;
  /** How a changed value affects the stored state of a service; undefined if it does not. */
  readonly state?: StateNote;
  /** Whether the value is secret, so that it is never printed. */
  readonly secret?: boolean;
}

/** A configuration key: its notes, the schema of its value, and its decoder. */
export interface Key<
  Value = unknown,
  IsThere extends Presence = Presence,
  Unit extends Suffix = Suffix,
> extends KeyNotes {
  /** JSON Schema of the value as written by the user. */
  readonly schema: JsonSchema;
  /** Schema for editors, if it can be stricter than `schema`. */
  readonly editorSchema?: JsonSchema;
  /** Allowed values, as text after `expected` in an error message. */
  readonly expected: string;
  /** Unit of a number; null if it has no dimension. */
  readonly unit: string | null;
  /** Range of allowed values as text, for `--help` and docs. */
  readonly range: string;
  readonly presence: IsThere;
  readonly suffix: Unit;
  readonly argument: string;
  readonly commands: readonly CommandName[];
  readonly examples: readonly unknown[];
  readonly default?: unknown;
  /** Default in `serve`, if it differs from that in other commands. */
  readonly serviceDefault?: unknown;
  /** Fields, if the key is an object. Each field may also be given separately, by its own path. */
  readonly fields?: Readonly<Record<string, Key>>;
  /**
   * Convert a value that passed `schema`. Throws a RangeError that explains a value that is still
   * invalid.
   */
  decode(written: unknown): Value;
}

/** A group of keys and sections, as in a configuration file. */
export interface Section {
  readonly [name: string]: Key | Section;
}

export function isKey(node: Key | Section): node is Key {
  return typeof node['decode'] === 'function';
}

type Unit<Node> = Node extends Key<unknown, Presence, infer S> ? S : '';

/**
 * Name of a decoded value, with its unit: `lateness` becomes `latenessMs`, `memory` becomes
 * `memoryBytes`, and `maxBytes` stays.
 */
export type DecodedName<Name extends string, S extends Suffix> = S extends 'Bytes'
  ? Name extends `${string}Bytes${string}`
    ? Name
    : `${Name}Bytes`
  : `${Name}${S}`;

export function decodedName(name: string, suffix: Suffix): string {
  return suffix === 'Bytes' && name.includes('Bytes') ? name : `${name}${suffix}`;
}

type Flat<T> = { readonly [K in keyof T]: T[K] };

/** Type of a section's decoded values. Keys whose presence is in `Missing` may be undefined. */
type Values<S, Missing extends Presence> = Flat<
  {
    readonly [K in keyof S & string as S[K] extends Key<unknown, Missing>
      ? never
      : DecodedName<K, Unit<S[K]>>]: S[K] extends Key<infer Value> ? Value : Values<S[K], Missing>;
  } & {
    readonly [K in keyof S & string as S[K] extends Key<unknown, Missing>
      ? DecodedName<K, Unit<S[K]>>
      : never]?: S[K] extends Key<infer Value> ? Value : never;
  }
>;

/** Type of a section's values as given or by default, before derived values are filled in. */
export type Decoded<S> = Values<S, 'derived' | 'optional'>;

/** Type of a section's final values, as the program uses them: durations in ms, sizes in bytes. */
export type Complete<S> = Values<S, 'optional'>;

/** Function that reports a violated rule between keys, with the path of the value to fix. */
export type Report = (path: string, message: string) => void;
