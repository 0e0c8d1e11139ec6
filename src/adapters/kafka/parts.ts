/**
 * Size of a part's header, bytes. The header has the format, the name of the record, the number of
 * this part, and the number of all parts.
 */
const HEADER_BYTES = 17;
const FORMAT = 0xb1;
const NAME_BYTES = 8;

/**
 * An incomplete record is dropped this many offsets after its first part, since its writer must
 * have crashed. The limit bounds memory. It is the same for all readers, so all drop the same
 * records.
 */
export const LONGEST_STRETCH = 1_024;

/** Split a record into values of the topic, each of at most `partBytes`. */
export function partsOf(name: Uint8Array, bytes: Uint8Array, partBytes: number): Buffer[] {
  const room = partBytes - HEADER_BYTES;
  const count = Math.max(1, Math.ceil(bytes.length / room));
  return Array.from({ length: count }, (_, part) => {
    const body = bytes.subarray(part * room, (part + 1) * room);
    const value = Buffer.alloc(HEADER_BYTES + body.length);
    value.writeUInt8(FORMAT, 0);
    value.set(name.subarray(0, NAME_BYTES), 1);
    value.writeUInt32BE(part, 9);
    value.writeUInt32BE(count, 13);
    value.set(body, HEADER_BYTES);
    return value;
  });
}

interface Part {
  readonly name: string;
  readonly part: number;
  readonly count: number;
  readonly body: Uint8Array;
}

/** Parse a value of the topic; undefined if it is not a part of a record. */
function partOf(value: Buffer): Part | undefined {
  if (value.length < HEADER_BYTES || value.readUInt8(0) !== FORMAT) return undefined;
  const name = value.toString('hex', 1, 1 + NAME_BYTES);
  const part = value.readUInt32BE(9);
  const count = value.readUInt32BE(13);
  if (part >= count || count > LONGEST_STRETCH) return undefined;
  return {
    name,
    part,
    count,
    body: value.subarray(HEADER_BYTES),
  };
}

/** Mark that identifies a record of the topic at its offset. */
export function markOf(value: Buffer | null): string {
  const part = value === null ? undefined : partOf(value);
  return part === undefined ? `?${value?.length ?? ''}` : `${part.name}.${part.part}`;
}

/** Joins the parts of records; records are complete in the order of their last parts. */
export class PartAssembly {
  readonly #open = new Map<
    string,
    {
      readonly first: number;
      readonly parts: Map<number, Part>;
    }
  >();

  /**
   * Add a value of the topic, and return the record that it completes; undefined if none. A value
   * without a part's header is a record by itself.
   */
  take(offset: number, value: Buffer): Uint8Array | undefined {
    for (const [name, { first }] of this.#open) {
      if (first > offset - LONGEST_STRETCH) break;
      this.#open.delete(name);
    }
    const part = partOf(value);
    if (part === undefined) return value;
    if (part.count === 1) return part.body;
    const open = this.#open.get(part.name) ?? {
      first: offset,
      parts: new Map<number, Part>(),
    };
    this.#open.set(part.name, open);
    open.parts.set(part.part, part);
    if (open.parts.size < part.count) return undefined;
    this.#open.delete(part.name);
    const bodies = Array.from({ length: part.count }, (_, n) => open.parts.get(n)?.body);
    // Parts that disagree on the number of parts do not make a record.
    return bodies.includes(undefined) ? value : Buffer.concat(bodies as Uint8Array[]);
  }

  /** Offset of the first part of all incomplete records; undefined if there are none. */
  get oldest(): number | undefined {
    for (const { first } of this.#open.values()) {
      return first;
    }
    return undefined;
  }
}
