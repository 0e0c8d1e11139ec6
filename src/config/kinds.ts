import {
  type CommandName,
  type Complete,
  isKey,
  type Key,
  type KeyNotes,
  type Presence,
  type Section,
  type Suffix,
} from './key.js';
import { type JsonSchema, Type } from './schema.js';
import {
  DURATION_PATTERN,
  DURATION_WORDS,
  formatDuration,
  parseDuration,
  parseSize,
  SIZE_PATTERN,
  SIZE_WORDS,
} from './units.js';

/**
 * This file defines the kinds of keys: allowed values, decoding, and the words for unit and range.
 */

type Notes<Default> = KeyNotes & { readonly default?: Default };

type PresenceOf<N> = N extends { readonly default: unknown }
  ? 'default'
  : N extends { readonly derived: string }
    ? 'derived'
    : 'optional';

interface Shape<Value, Unit extends Suffix> {
  readonly schema: JsonSchema;
  readonly editorSchema?: JsonSchema;
  readonly expected: string;
  /** Unit of a number; by default null, no unit. */
  readonly unit?: string | null;
  /** Range of allowed values as text; by default `expected`. */
  readonly range?: string;
  readonly suffix?: Unit;
  readonly argument: string;
  readonly examples?: readonly unknown[];
  readonly serviceDefault?: unknown;
  /** Convert a written value; by default it stays unchanged. */
  decode?(written: unknown): Value;
}

/** Define a key of a kind that no other function here covers. */
export function key<Value, const N extends Notes<unknown>>(notes: N, shape: Shape<Value, ''>) {
  return made<Value, '', N>(notes, shape);
}

/**
 * Combine the notes on a key with the properties of its kind. @param rest notes other than those in
 * `shape`
 */
function made<Value, Unit extends Suffix, N>(
  rest: Notes<unknown>,
  shape: Shape<Value, Unit>,
): Key<Value, PresenceOf<N>, Unit> {
  const { default: fallback, derived } = rest;
  const presence: Presence =
    fallback !== undefined ? 'default' : derived !== undefined ? 'derived' : 'optional';
  // `PresenceOf` derives the type of `presence` from the notes by the same rule.
  return {
    examples: [],
    commands: [],
    unit: null,
    range: shape.expected,
    suffix: '' as Unit,
    decode: (written) => written as Value,
    ...shape,
    ...rest,
    presence: presence as PresenceOf<N>,
  };
}

const DurationText = Type.Union([
  Type.String({ pattern: DURATION_PATTERN }),
  Type.Integer({ minimum: 0 }),
]);
const DURATION_EXAMPLES = ['250ms', '90s', '1h', '30d'];

/**
 * Define a key for a duration, which decodes to ms. @param least shortest allowed duration; `1ms`
 * means more than 0.
 */
export function duration<const N extends Notes<string> & { readonly least: string }>(notes: N) {
  const { least: words, ...rest }: Notes<string> & { readonly least: string } = notes;
  const least = parseDuration(words);
  const atLeast = least === 1 ? 'more than 0' : `at least ${formatDuration(least)}`;
  return made<number, 'Ms', N>(rest, {
    schema: DurationText,
    expected: DURATION_WORDS,
    unit: 'duration',
    range: atLeast,
    suffix: 'Ms',
    argument: '<duration>',
    examples: DURATION_EXAMPLES,
    decode: (written) => {
      const ms = parseDuration(written as string | number);
      if (ms < least) throw new RangeError(`expected ${atLeast}`);
      return ms;
    },
  });
}

/**
 * A configured window: its length, its name (the text of the length), and how often it is computed.
 */
export interface WindowConfig {
  readonly name: string;
  readonly ms: number;
  /** Interval between computations, ms of event time; undefined for one at each closed pane. */
  readonly everyMs?: number;
}

const EVERY = / +every +/;
const WINDOW_PATTERN = `${DURATION_PATTERN.slice(0, -1)}( +every +${DURATION_PATTERN.slice(1, -1)})?$`;

/** Parse a window such as `24h every 10m`: its length, and how often it is computed. */
function windowOf(written: string | number): WindowConfig {
  if (typeof written === 'number') {
    return {
      name: formatDuration(written),
      ms: written,
    };
  }
  const [name, every] = written.split(EVERY);
  const ms = parseDuration(name!);
  return {
    name: name!,
    ms,
    ...(every !== undefined && { everyMs: parseDuration(every) }),
  };
}

/**
 * Define a key for a list of windows: durations, named by the text as written, each with an
 * optional interval between computations.
 */
export function windows<const N extends Notes<readonly string[]>>(notes: N) {
  return made<readonly WindowConfig[], '', N>(notes, {
    schema: Type.Array(
      Type.Union([Type.String({ pattern: WINDOW_PATTERN }), Type.Integer({ minimum: 0 })]),
      { minItems: 1 },
    ),
    expected: 'a list of durations such as 1h, 24h every 10m',
    unit: 'durations',
    range: 'different multiples of time.tick',
    argument: '<durations>',
    examples: [['1h', '24h every 10m']],
    decode: (written) => (written as (string | number)[]).map(windowOf),
  });
}

export function size<const N extends Notes<string>>(notes: N) {
  return made<number, 'Bytes', N>(notes, {
    schema: Type.Union([Type.String({ pattern: SIZE_PATTERN }), Type.Integer({ minimum: 1 })]),
    expected: SIZE_WORDS,
    unit: 'size',
    range: 'at least 1B',
    suffix: 'Bytes',
    argument: '<size>',
    examples: ['512KiB', '1MiB'],
    decode: (written) => parseSize(written as string | number),
  });
}

interface WholeRange {
  readonly from: number;
  readonly to: number;
  readonly unit: string | null;
}

export function whole<const N extends Notes<number> & WholeRange>(notes: N) {
  const { from, to, unit, ...rest }: Notes<number> & WholeRange = notes;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  return made<number, '', N>(rest, {
    schema: Type.Integer({
      minimum: from,
      maximum: to,
    }),
    expected: `a whole number ${range}`,
    unit,
    range,
    argument: '<number>',
  });
}

interface RealRange {
  readonly from?: number;
  readonly above?: number;
  readonly to?: number;
  readonly below?: number;
  readonly unit: string | null;
  readonly expected?: string;
}

export function real<const N extends Notes<number> & RealRange>(notes: N) {
  const {
    from,
    above,
    to,
    below,
    unit = null,
    expected,
    ...rest
  }: Notes<number> & RealRange = notes;
  const range = realRange({
    from,
    above,
    to,
    below,
  });
  return made<number, '', N>(rest, {
    schema: Type.Number({
      ...(from !== undefined && { minimum: from }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      ...(to !== undefined && { maximum: to }),
      ...(below !== undefined && { exclusiveMaximum: below }),
    }),
    expected: expected ?? (range === 'any' ? 'a number' : `a number ${range}`),
    unit,
    range: expected ?? range,
    argument: '<number>',
  });
}

type Bounds = { readonly [K in 'from' | 'above' | 'to' | 'below']: number | undefined };

function realRange({ from, above, to, below }: Bounds): string {
  if (from !== undefined && to !== undefined) return `from ${from} to ${to}`;
  if (above !== undefined && to !== undefined) return `above ${above}, at most ${to}`;
  if (above !== undefined && below !== undefined) return `between ${above} and ${below}`;
  return 'any';
}

interface LimitNotes {
  readonly unit: string;
  /** Default in `serve`, if it differs from that in other commands. */
  readonly serviceDefault?: number;
}

/** Define a key for a limit: a number, or `none`, which decodes to Infinity. */
export function limit<const N extends Notes<number> & LimitNotes>(notes: N) {
  const { unit, serviceDefault, ...rest }: Notes<number> & LimitNotes = notes;
  return made<number, '', N>(rest, {
    schema: Type.Union([
      Type.Integer({
        minimum: 1,
        maximum: 1e12,
      }),
      Type.Literal('none'),
    ]),
    expected: "a whole number from 1 to 1e12, or 'none'",
    unit,
    range: 'from 1 to 1e12, or none',
    argument: '<number|none>',
    serviceDefault,
    decode: (limit) => (limit === 'none' ? Number.POSITIVE_INFINITY : (limit as number)),
  });
}

interface TextRange {
  readonly expected: string;
  readonly pattern?: string;
}

/** Define a key for text. @param expected description of the allowed text. */
export function text<const N extends Notes<string> & TextRange>(notes: N) {
  const { expected, pattern, ...rest }: Notes<string> & TextRange = notes;
  return made<string, '', N>(rest, {
    schema: Type.String(pattern === undefined ? { minLength: 1 } : { pattern }),
    expected,
    argument: '<text>',
  });
}

export function yesOrNo<const N extends Notes<boolean>>(notes: N) {
  return made<boolean, '', N>(notes, {
    schema: Type.Boolean(),
    expected: 'true or false',
    argument: '',
  });
}

export function oneOf<const Names extends readonly string[], const N extends Notes<Names[number]>>(
  names: Names,
  notes: N,
) {
  return made<Names[number], '', N>(notes, {
    schema: Type.Enum([...names]),
    expected: `one of ${names.join(', ')}`,
    range: names.join(', '),
    argument: names.length > 2 ? '<name>' : `<${names.join('|')}>`,
  });
}

/** Define a key for a list of different names from a closed set; the list may be empty. */
export function someOf<
  const Names extends readonly string[],
  const N extends Notes<readonly Names[number][]>,
>(names: Names, notes: N) {
  return made<readonly Names[number][], '', N>(notes, {
    schema: Type.Array(Type.Enum([...names]), { uniqueItems: true }),
    expected: `a list of different values out of ${names.join(', ')}`,
    range: `some of ${names.join(', ')}`,
    argument: '<names>',
  });
}

/**
 * Define a key for a list of metrics, estimators or similar names to compute.
 *
 * @param choose throws a RangeError that explains a wrong name.
 */
export function chosenOf<Name extends string, const N extends Notes<readonly Name[]>>(
  kind: string,
  names: readonly Name[],
  choose: (written: readonly string[]) => Name[],
  notes: N,
) {
  return made<readonly Name[], '', N>(notes, {
    schema: Type.Array(Type.String()),
    editorSchema: Type.Array(Type.Enum([...names]), {
      minItems: 1,
      uniqueItems: true,
    }),
    expected: `a list of ${kind}: ${names.join(', ')}`,
    range: `some of ${names.join(', ')}`,
    argument: '<names>',
    decode: (written) => choose(written as string[]),
  });
}

/** Define a key whose value is an object; its fields are keys too. */
export function group<const F extends Readonly<Record<string, Key>>>(
  fields: F,
  notes: KeyNotes,
): Key<Complete<F>, 'default', ''> {
  const names = Object.keys(fields).join(', ');
  const key = made<Complete<F>, '', { default: object }>(notes, {
    schema: { type: 'object' },
    expected: `an object of ${names}`,
    range: 'an object of the fields below',
    argument: '<JSON>',
  });
  return {
    ...key,
    presence: 'default',
    fields: ofCommands(key.commands, fields),
  };
}

/** Set the commands of all keys in a section, except for keys that name their own. */
export function ofCommands<const S extends Section>(
  commands: readonly CommandName[],
  section: S,
): S {
  const given = (node: Key | Section): Key | Section => {
    if (!isKey(node)) return ofCommands(commands, node);
    const own = node.commands.length > 0 ? node.commands : commands;
    return {
      ...node,
      commands: own,
      ...(node.fields && { fields: ofCommands(own, node.fields) }),
    };
  };
  const entries = Object.entries(section).map(([name, node]) => [name, given(node)]);
  return Object.fromEntries(entries) as S;
}
