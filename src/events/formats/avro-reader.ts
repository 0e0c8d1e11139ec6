import { type Cursor, PayloadFault } from './cursor.js';
import { decimalNumber, momentText, uuidText } from './logical.js';
import type { AvroField, AvroNode, AvroPrimitive, Logical } from './schema.js';
import { ALL, entryOf, partOf, type Wanted } from './wanted.js';

/** Reads one value where the cursor stands. */
export type Read = (at: Cursor) => unknown;

/** A decimal of more bytes is none that a number can hold. */
const MAX_DECIMAL_BYTES = 64;

/**
 * A reader of the values of an Avro schema that gives the wanted parts, and passes over all others.
 *
 * Records and maps become objects without a prototype, unions the value of their branch, enums the
 * symbol, moments ISO 8601 text, decimals numbers, and longs that no number holds exactly bigints. A
 * record's field stands under its name and under each alias that is asked for.
 *
 * **Source** Apache Avro 1.11 specification, "Binary Encoding".
 *
 * @throws PayloadFault from the reader, where the bytes do not fit the schema
 * @example
 * const record = { kind: 'record', fields: [{ name: 'n', aliases: [], type: { kind: 'int' } }] };
 * const cursor = new Cursor();
 * cursor.load(Uint8Array.of(3), 0, 1);
 * avroReader(record)(cursor).n; // -2
 */
export function avroReader(node: AvroNode, wanted: Wanted = ALL): Read {
  return new AvroReaders().read(node, wanted);
}

/** Readers of one schema, which share what they can. */
export class AvroReaders {
  readonly #known = new Map<AvroNode, Map<Wanted | undefined, Read>>();

  /** @param wanted nothing where the value is only passed over: then its reader gives none */
  read(node: AvroNode, wanted?: Wanted): Read {
    let known = this.#known.get(node);
    if (known === undefined) {
      known = new Map();
      this.#known.set(node, known);
    }
    const found = known.get(wanted);
    if (found !== undefined) return found;
    // A type may hold itself: what refers to it while it is compiled finds it later.
    let compiled: Read | undefined;
    known.set(wanted, (at) => (compiled as Read)(at));
    compiled = this.#compile(node, wanted);
    known.set(wanted, compiled);
    return compiled;
  }

  #compile(node: AvroNode, wanted: Wanted | undefined): Read {
    switch (node.kind) {
      case 'record':
        return wanted === undefined
          ? this.#skipRecord(node.fields)
          : this.#record(node.fields, wanted);
      case 'union':
        return union(node.of.map((branch) => this.read(branch, wanted)));
      case 'array':
        return this.#array(node.of, wanted);
      case 'map':
        return this.#map(node.of, wanted);
      case 'enum': {
        const { symbols } = node;
        return (at) => symbols[indexOf(at, symbols.length, 'an enum')];
      }
      case 'fixed': {
        const { size, logical } = node;
        if (wanted === undefined) return (at) => at.take(size);
        return (at) => bytesValue(at, at.take(size), size, logical);
      }
      default:
        return wanted === undefined ? SKIPS[node.kind] : primitive(node.kind, node.logical);
    }
  }

  #record(fields: readonly AvroField[], wanted: Wanted): Read {
    const steps = fields.map(({ name, aliases, type }) => {
      const names = [name, ...aliases];
      const part = partOf(wanted, names);
      // Of everything, aliases would say it twice.
      const asked = wanted.all ? [name] : names.filter((each) => wanted.parts.has(each));
      return { read: this.read(type, part), names: asked };
    });
    return (at) => {
      const record: Record<string, unknown> = Object.create(null);
      at.enter();
      for (const { read, names } of steps) {
        const value = read(at);
        for (const name of names) record[name] = value;
      }
      at.leave();
      return record;
    };
  }

  #skipRecord(fields: readonly AvroField[]): Read {
    const skips = fields.map(({ type }) => this.read(type));
    return (at) => {
      at.enter();
      for (const skip of skips) skip(at);
      at.leave();
    };
  }

  #array(of: AvroNode, wanted: Wanted | undefined): Read {
    const each = this.read(of, wanted && entryOf(wanted));
    if (wanted === undefined) return (at) => blocks(at, each, undefined);
    const add = (at: Cursor, list: unknown[]) => list.push(each(at));
    return (at) => {
      const list: unknown[] = [];
      blocks(at, add, list);
      return list;
    };
  }

  #map(of: AvroNode, wanted: Wanted | undefined): Read {
    const skip = this.read(of);
    if (wanted === undefined) {
      const pass = (at: Cursor) => {
        at.take(lengthOf(at));
        skip(at);
      };
      return (at) => blocks(at, pass, undefined);
    }
    const reads = new Map([...wanted.parts].map(([key, part]) => [key, this.read(of, part)]));
    const otherwise = wanted.all ? this.read(of, ALL) : undefined;
    const entry = (at: Cursor, map: Record<string, unknown>) => {
      const length = lengthOf(at);
      const start = at.take(length);
      const key = at.text(start, start + length);
      const read = reads.get(key) ?? otherwise;
      if (read === undefined) skip(at);
      else map[key] = read(at);
    };
    return (at) => {
      const map: Record<string, unknown> = Object.create(null);
      blocks(at, entry, map);
      return map;
    };
  }
}

const SKIPS: Readonly<Record<AvroPrimitive, Read>> = {
  null: () => null,
  boolean: (at) => at.take(1),
  int: (at) => at.varint64(),
  long: (at) => at.varint64(),
  float: (at) => at.take(4),
  double: (at) => at.take(8),
  bytes: (at) => at.take(lengthOf(at)),
  string: (at) => at.take(lengthOf(at)),
};

function primitive(kind: AvroPrimitive, logical: Logical | undefined): Read {
  switch (kind) {
    case 'null':
      return () => null;
    case 'boolean':
      return booleanAt;
    case 'int':
    case 'long': {
      if (logical?.is !== 'timestamp') return longAt;
      const { perMs } = logical;
      return (at) => momentText(longAt(at), perMs);
    }
    case 'float':
      return (at) => at.float32();
    case 'double':
      return (at) => at.float64();
    case 'bytes':
      return (at) => {
        const length = lengthOf(at);
        return bytesValue(at, at.take(length), length, logical);
      };
    case 'string':
      return (at) => {
        const length = lengthOf(at);
        const start = at.take(length);
        return at.text(start, start + length);
      };
  }
}

function union(branches: readonly Read[]): Read {
  const { length } = branches;
  return (at) => {
    at.enter();
    const value = branches[indexOf(at, length, 'a union')](at);
    at.leave();
    return value;
  };
}

function booleanAt(at: Cursor): boolean {
  const byte = at.bytes[at.take(1)];
  if (byte > 1) throw new PayloadFault(`a boolean of ${byte}`);
  return byte === 1;
}

export function longAt(at: Cursor): number | bigint {
  at.varint64();
  return at.zigzag();
}

/** Blocks of entries, each behind their count; where it is negative the block's size follows. */
export function blocks<To>(at: Cursor, entry: (at: Cursor, to: To) => void, to: To): void {
  at.enter();
  for (;;) {
    let count = Number(longAt(at));
    if (count === 0) break;
    if (count < 0) {
      count = -count;
      longAt(at);
    }
    at.count(count);
    for (let n = 0; n < count; n++) entry(at, to);
  }
  at.leave();
}

/** Not in the schema, so that nothing is believed of it. */
export function lengthOf(at: Cursor): number {
  const short = at.shortZigzag();
  if (short >= 0) return short;
  const length = longAt(at);
  if (typeof length === 'bigint' || length < 0) throw new PayloadFault(`a length of ${length}`);
  return length;
}

export function indexOf(at: Cursor, count: number, what: string): number {
  const short = at.shortZigzag();
  const index = short >= 0 ? short : longAt(at);
  if (typeof index === 'bigint' || index < 0 || index >= count) {
    throw new PayloadFault(`${what} has ${count} values, and this is number ${index}`);
  }
  return index;
}

function bytesValue(
  at: Cursor,
  start: number,
  length: number,
  logical: Logical | undefined,
): unknown {
  const bytes = at.bytes.subarray(start, start + length);
  if (logical?.is === 'uuid' && length === 16) return uuidText(bytes);
  if (logical?.is !== 'decimal') return bytes;
  if (length > MAX_DECIMAL_BYTES) throw new PayloadFault(`a decimal of ${length} bytes`);
  return decimalNumber(bytes, logical.scale);
}
