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

/** Commands that read the configuration; `demo` uses a fixed one. */
export const COMMANDS = [...READERS, 'sql'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Suffix that a decoded value's name gets for its unit. */
export type Suffix = '' | 'Ms' | 'Bytes';

/** Where a value comes from if none is given; `optional`: there may be none. */
export type Presence = 'default' | 'derived' | 'optional';

export interface StateNote {
  /** `reset`: the state that depends on the key starts empty; the rest continues. */
  readonly effect: SettingEffect | 'reset';
  /** Explanation in a whole sentence. */
  readonly how: string;
}

/** Description and properties of every key. */
export interface KeyNotes {
  /** Description in whole sentences; `--help` shows only the first. */
  readonly description: string;
  /** Commands in which the key has an effect; by default those of its section. */
  readonly commands?: readonly CommandName[];
  /** Flag of these commands; `serve` has only `--set`. */
  readonly flag?: `--${string}`;
  /** `serve` takes the flag too. */
  readonly isFlagOfServe?: boolean;
  /** Placeholder for the flag's value, if the kind of key does not describe it well. */
  readonly argument?: string;
  /** Description of the value that is derived from other keys if none is given. */
  readonly derived?: string;
  /** How a changed value affects a service's stored state; not at all by default. */
  readonly state?: StateNote;
  /** The value is never printed. */
  readonly secret?: boolean;
}

/** One configuration key: schema, notes and decoder. */
export interface Key<
  Value = unknown,
  IsThere extends Presence = Presence,
  Unit extends Suffix = Suffix,
> extends KeyNotes {
  /** JSON Schema of the value as written. */
  readonly schema: JsonSchema;
  /** Schema for editors, if it can be stricter than the one that is checked. */
  readonly editorSchema?: JsonSchema;
  /** Allowed values as text after `expected`. */
  readonly expected: string;
  /** Unit of a number; null if it has no dimension. */
  readonly unit: string | null;
  /** Range of allowed values as text. */
  readonly range: string;
  readonly presence: IsThere;
  readonly suffix: Unit;
  readonly argument: string;
  readonly commands: readonly CommandName[];
  readonly examples: readonly unknown[];
  readonly default?: unknown;
  /** Default of the service, if it differs from that of other commands. */
  readonly serviceDefault?: unknown;
  /** Fields of a key that is an object. Each field may also be given separately. */
  readonly fields?: Readonly<Record<string, Key>>;
  /** Convert a value that passed `schema`; throws a RangeError that explains an invalid value. */
  decode(written: unknown): Value;
}

/** A group of keys, as in a file. */
export interface Section {
  readonly [name: string]: Key | Section;
}

export function isKey(node: Key | Section): node is Key {
  return typeof node['decode'] === 'function';
}

type Unit<Node> = Node extends Key<unknown, Presence, infer S> ? S : '';

/**
 * Name of a decoded value: `lateness` becomes `latenessMs`, `memory` becomes `memoryBytes`;
 * `maxBytes` stays.
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

/** Decoded values of a section. Keys with a presence in `Missing` are optional. */
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

/** Values as given or by default, before values derived from other keys are filled in. */
export type Decoded<S> = Values<S, 'derived' | 'optional'>;

/** All values as the program uses them: durations in ms, sizes in bytes. */
export type Complete<S> = Values<S, 'optional'>;

/** Reports a violated rule between keys, with the path of the value to fix. */
export type Report = (path: string, message: string) => void;
