import { type Cursor, momentText, PayloadFault } from './cursor.js';
import { ALL, entryOf, partOf, type Wanted } from './plan.js';
import type { ProtobufField, ProtobufMessage, ProtobufScalar, ProtobufType } from './schema.js';

type Values = Record<string, unknown>;
type ReadValue = (at: Cursor, before: unknown) => unknown;

/** Wire types of Protobuf, the encodings of a field's value. */
const VARINT = 0;
const EIGHT_BYTES = 1;
const LENGTH = 2;
const FOUR_BYTES = 5;

interface Step {
  readonly wire: number;
  readonly names: readonly string[];
  readonly read: ReadValue;
  readonly field: ProtobufField;
}

/**
 * Create a reader of a Protobuf message that returns the wanted parts and skips all others.
 *
 * A field is returned under its name, its JSON name or both, whichever are wanted. An absent number
 * or boolean without presence is 0 or false, as in every Protobuf reader; an absent text stays
 * absent. `google.protobuf.Timestamp` becomes ISO 8601 text, a wrapper its value, an enum the name,
 * and a 64-bit integer beyond the exact range of numbers a bigint. Groups are rejected.
 *
 * **Source** protobuf.dev/programming-guides/encoding.
 *
 * @param message  type of the bytes from the cursor to its end
 * @throws PayloadFault from the reader, where the bytes do not fit the schema
 */
export function protobufReader(
  message: ProtobufMessage,
  wanted: Wanted = ALL,
): (at: Cursor) => unknown {
  const read = new Compiler().message(message, wanted);
  return (at) => read(at, undefined);
}

class Compiler {
  readonly #known = new Map<ProtobufMessage, Map<Wanted, ReadValue>>();

  message(message: ProtobufMessage, wanted: Wanted): ReadValue {
    let known = this.#known.get(message);
    if (known === undefined) {
      known = new Map();
      this.#known.set(message, known);
    }
    const found = known.get(wanted);
    if (found !== undefined) return found;
    let compiled: ReadValue | undefined;
    known.set(wanted, (at, before) => (compiled as ReadValue)(at, before));
    compiled = this.#compile(message, wanted);
    known.set(wanted, compiled);
    return compiled;
  }

  #compile(message: ProtobufMessage, wanted: Wanted): ReadValue {
    const known = wellKnown(message.name);
    const steps = this.#steps(message, known === undefined ? wanted : ALL);
    const defaults = [...steps.values()].flatMap(({ field, names }) => defaultsOf(field, names));
    return (at, before) => {
      // A well-known Protobuf type has been converted already, so its last part counts.
      const earlier = known === undefined ? (before as Values | undefined) : undefined;
      const values = earlier ?? withDefaults(defaults);
      at.enter();
      while (at.at < at.end) {
        const tag = at.varint32();
        const step = steps.get(tag >>> 3);
        if (tag >>> 3 === 0) throw new PayloadFault('a field has the number 0');
        if (step === undefined) {
          skip(at, tag & 7);
        } else if ((tag & 7) === step.wire) {
          take(at, step, values);
        } else if ((tag & 7) === LENGTH && step.field.isRepeated) {
          takePacked(at, step, values);
        } else {
          throw mismatch(step.field, tag & 7);
        }
      }
      at.leave();
      return known === undefined ? values : known(values);
    };
  }

  #steps(message: ProtobufMessage, wanted: Wanted): Map<number, Step> {
    const steps = new Map<number, Step>();
    for (const [number, field] of message.fields) {
      const all = [...new Set([field.name, field.jsonName])];
      const part = partOf(wanted, all);
      if (part === undefined) continue;
      const names = wanted.all ? [field.name] : all.filter((name) => wanted.parts.has(name));
      const read = this.#read(field, part);
      steps.set(number, {
        wire: wireOf(field),
        names,
        read,
        field,
      });
    }
    return steps;
  }

  #read(field: ProtobufField, wanted: Wanted): ReadValue {
    const { type, key } = field;
    const inner = field.isRepeated || key !== undefined ? entryOf(wanted) : wanted;
    const value = this.#value(type, inner);
    return key === undefined ? value : mapEntry(field, key, value);
  }

  #value(type: ProtobufType, wanted: Wanted): ReadValue {
    if (type.kind === 'message') return within(this.message(type.of, wanted));
    if (type.kind === 'enum') {
      const { names } = type;
      return (at) => {
        at.varint64();
        const number = Number(at.signed());
        return names.get(number) ?? number;
      };
    }
    return READ[type.kind];
  }
}

/** Readers of scalar values, by their Protobuf type. */
export const READ: Readonly<Record<ProtobufScalar, ReadValue>> = {
  double: (at) => at.float64(),
  float: (at) => at.float32(),
  int32: (at) => {
    at.varint64();
    return at.low | 0;
  },
  int64: (at) => {
    at.varint64();
    return at.signed();
  },
  uint32: (at) => {
    at.varint64();
    return at.low;
  },
  uint64: (at) => {
    at.varint64();
    return at.unsigned();
  },
  sint32: (at) => {
    at.varint64();
    return (at.low >>> 1) ^ -(at.low & 1);
  },
  sint64: (at) => {
    at.varint64();
    return at.zigzag();
  },
  fixed32: (at) => at.fixed32(),
  fixed64: (at) => {
    at.fixed64();
    return at.unsigned();
  },
  sfixed32: (at) => at.fixed32() | 0,
  sfixed64: (at) => {
    at.fixed64();
    return at.signed();
  },
  bool: (at) => {
    at.varint64();
    return (at.low | at.high) !== 0;
  },
  string: (at) => {
    const length = at.varint32();
    const start = at.take(length);
    return at.text(start, start + length);
  },
  bytes: (at) => {
    const length = at.varint32();
    const start = at.take(length);
    return at.bytes.subarray(start, start + length);
  },
};

function take(at: Cursor, { names, read, field }: Step, values: Values): void {
  const [first] = names;
  if (field.isRepeated) {
    at.count(1);
    const entry = read(at, undefined);
    for (const name of names) {
      (values[name] as unknown[]).push(entry);
    }
    return;
  }
  const value = read(at, values[first]);
  for (const name of names) {
    values[name] = value;
  }
}

/** Read a packed list of numbers: the length in bytes, then the numbers without tags. */
function takePacked(at: Cursor, { names, read, field, wire }: Step, values: Values): void {
  if (wire === LENGTH) throw mismatch(field, LENGTH);
  const length = at.varint32();
  const end = at.take(length) + length;
  const whole = at.end;
  at.at = end - length;
  at.end = end;
  while (at.at < end) {
    at.count(1);
    const entry = read(at, undefined);
    for (const name of names) {
      (values[name] as unknown[]).push(entry);
    }
  }
  at.end = whole;
}

/**
 * Create a reader of a nested message, which begins with its length. If a payload has the message
 * in several parts, their fields are merged.
 */
function within(read: ReadValue): ReadValue {
  return (at, before) => {
    const length = at.varint32();
    const start = at.take(length);
    const whole = at.end;
    at.at = start;
    at.end = start + length;
    const value = read(at, before);
    at.end = whole;
    return value;
  };
}

/**
 * Create a reader of map entries. An entry is a message of a key and a value; if several entries
 * have the same key, the last one counts.
 */
function mapEntry(field: ProtobufField, key: ProtobufScalar, value: ReadValue): ReadValue {
  const keyWire = wireOfScalar(key);
  const valueWire = wireOfType(field.type);
  const ofKey = defaultOfScalar(key);
  const ofValue = defaultOfType(field.type);
  const entry = within((at) => {
    const found: [unknown, unknown] = [ofKey, ofValue];
    while (at.at < at.end) {
      const tag = at.varint32();
      if (tag === ((1 << 3) | keyWire)) {
        found[0] = READ[key](at, undefined);
      } else if (tag === ((2 << 3) | valueWire)) {
        found[1] = value(at, undefined);
      } else {
        skip(at, tag & 7);
      }
    }
    return found;
  });
  return (at, before) => {
    at.count(1);
    const map = (before as Values | undefined) ?? Object.create(null);
    const [name, of] = entry(at, undefined) as [unknown, unknown];
    map[String(name)] = of;
    return map;
  };
}

/** Skip an unwanted field. */
export function skip(at: Cursor, wire: number): void {
  switch (wire) {
    case VARINT:
      at.varint64();
      break;
    case EIGHT_BYTES:
      at.take(8);
      break;
    case LENGTH:
      at.take(at.varint32());
      break;
    case FOUR_BYTES:
      at.take(4);
      break;
    default:
      throw new PayloadFault(
        wire === 3
          ? 'it has a group, and groups are not supported'
          : `a field has the unknown wire type ${wire}`,
      );
  }
}

function mismatch({ name }: ProtobufField, wire: number): PayloadFault {
  return new PayloadFault(`${name}: its wire type ${wire} does not match the schema`);
}

function wireOf({ type, key }: ProtobufField): number {
  return key === undefined ? wireOfType(type) : LENGTH;
}

export function wireOfType(type: ProtobufType): number {
  if (type.kind === 'message') return LENGTH;
  return type.kind === 'enum' ? VARINT : wireOfScalar(type.kind);
}

function wireOfScalar(kind: ProtobufScalar): number {
  switch (kind) {
    case 'double':
    case 'fixed64':
    case 'sfixed64':
      return EIGHT_BYTES;
    case 'float':
    case 'fixed32':
    case 'sfixed32':
      return FOUR_BYTES;
    case 'string':
    case 'bytes':
      return LENGTH;
    default:
      return VARINT;
  }
}

function defaultOfScalar(kind: ProtobufScalar): unknown {
  if (kind === 'bool') return false;
  if (kind === 'string') return '';
  return kind === 'bytes' ? undefined : 0;
}

function defaultOfType(type: ProtobufType): unknown {
  if (type.kind === 'message') return undefined;
  return type.kind === 'enum' ? (type.names.get(0) ?? 0) : defaultOfScalar(type.kind);
}

type Default = readonly [name: string, isList: boolean, value: unknown];

function defaultsOf(field: ProtobufField, names: readonly string[]): Default[] {
  const { hasPresence, isRepeated, type, key } = field;
  if (isRepeated) return names.map((name) => [name, true, undefined]);
  // An absent text stays absent, since writers also leave out empty ones.
  const isLeftOut = hasPresence || key !== undefined || type.kind === 'string';
  const value = defaultOfType(type);
  if (isLeftOut || value === undefined) return [];
  return names.map((name) => [name, false, value]);
}

function withDefaults(defaults: readonly Default[]): Values {
  const values: Values = Object.create(null);
  for (const [name, isList, value] of defaults) {
    values[name] = isList ? [] : value;
  }
  return values;
}

/** Conversion of a well-known Protobuf message to its value; undefined for any other message. */
function wellKnown(name: string): ((values: Values) => unknown) | undefined {
  if (name === 'google.protobuf.Timestamp') {
    return ({ seconds, nanos }) =>
      momentText(Number(seconds ?? 0) * 1000 + Math.floor(Number(nanos ?? 0) / 1e6), 1);
  }
  if (!WRAPPER.test(name)) return undefined;
  return ({ value }) => value ?? '';
}

const WRAPPER =
  /^google\.protobuf\.(Double|Float|Int64|UInt64|Int32|UInt32|Bool|String|Bytes)Value$/;
