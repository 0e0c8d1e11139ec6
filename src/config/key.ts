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
  /** `reset`: what depends on it begins from nothing, the rest goes on. */
  readonly effect: SettingEffect | 'reset';
  /** A whole sentence. */
  readonly how: string;
}

/** Description and properties of every key. */
export interface KeyNotes {
  /** Whole sentences. The first one stands alone in `--help`. */
  readonly description: string;
  /** Commands in which the key has an effect; by default those of its section. */
  readonly commands?: readonly CommandName[];
  /** A flag of those commands; `serve` has only `--set`. */
  readonly flag?: `--${string}`;
  /** `serve` takes the flag too. */
  readonly isFlagOfServe?: boolean;
  /** What the flag takes, if the kind of key does not say it well. */
  readonly argument?: string;
  /** In words, the value that follows from other keys if none is given. */
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
  /** What may be written. */
  readonly schema: JsonSchema;
  /** Schema for editors, if it can be stricter than the one that is checked. */
  readonly editorSchema?: JsonSchema;
  /** What may be written, in words that follow `expected`. */
  readonly expected: string;
  /** What a number counts or measures; null if it has no dimension. */
  readonly unit: string | null;
  /** The values that are taken, in words. */
  readonly range: string;
  readonly presence: IsThere;
  readonly suffix: Unit;
  readonly argument: string;
  readonly commands: readonly CommandName[];
  readonly examples: readonly unknown[];
  readonly default?: unknown;
  /** What the service alone takes if no value is given. */
  readonly serviceDefault?: unknown;
  /** Of a key that is an object: what it holds. Each may be given by itself too. */
  readonly fields?: Readonly<Record<string, Key>>;
  /** Of a value that passed `schema`; throws a RangeError that says what is wrong with it. */
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

/** Values of a section where those that may be missing are of the presences `Missing`. */
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
