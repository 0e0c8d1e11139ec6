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

/** Commands that read the configuration; `demo` has one of its own. */
export const COMMANDS = [...READERS, 'sql'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Unit of the decoded value, as it ends the name that the value has in the program. */
export type Suffix = '' | 'Ms' | 'Bytes';

/** Whether there is always a value, and where it is from if none is given. */
export type Presence = 'default' | 'derived' | 'optional';

export interface StateNote {
  /** `reset`: what depends on it begins from nothing, the rest goes on. */
  readonly effect: SettingEffect | 'reset';
  /** A whole sentence. */
  readonly how: string;
}

/** What is said of every key. */
export interface KeyNotes {
  /** Whole sentences. The first one stands alone in `--help`. */
  readonly description: string;
  /** Commands in which the key has an effect; those of its section if it is not said. */
  readonly commands?: readonly CommandName[];
  /** A flag of those commands; `serve` has none but `--set`. */
  readonly flag?: `--${string}`;
  /** `serve` takes the flag too. */
  readonly isFlagOfServe?: boolean;
  /** What the flag takes, if the kind of key does not say it well. */
  readonly argument?: string;
  /** In words, the value that follows from other keys if none is given. */
  readonly derived?: string;
  /** What becomes of what a service has kept if the value changes; nothing if it is not said. */
  readonly state?: StateNote;
  /** The value is never printed. */
  readonly secret?: boolean;
}

/** One key of the configuration: everything that is known of it. */
export interface Key<
  Value = unknown,
  IsThere extends Presence = Presence,
  Unit extends Suffix = Suffix,
> extends KeyNotes {
  /** What may be written. */
  readonly schema: JsonSchema;
  /** The same for editors, if it can say more than the check does. */
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

/** `lateness` in ms is `latenessMs`, `memory` in bytes `memoryBytes`; `maxBytes` says it already. */
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

/** As given or by default, before what follows from other keys is filled in. */
export type Decoded<S> = Values<S, 'derived' | 'optional'>;

/** As the program has it: durations in ms and sizes in bytes, by their names. */
export type Complete<S> = Values<S, 'optional'>;

/** Reports what one value means for another, with the path of the value to fix. */
export type Report = (path: string, message: string) => void;
