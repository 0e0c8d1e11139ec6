/** Formats of a topic's record values; `auto` uses each record's frame, and JSON without one. */
export const FORMATS = ['json', 'avro', 'protobuf', 'json_schema', 'auto'] as const;
export type Format = (typeof FORMATS)[number];

export type Formats = Readonly<Record<'exposures' | 'interactions', Format>>;

/** Frame of a record, which identifies the schema that the producer used. */
export interface Frame {
  /** Key of the schema, `id 7` or `guid 1f2e…`. */
  readonly key: string;
  /** Index of the payload's first byte. */
  readonly start: number;
  /** Protobuf message indexes, if they are in a header. */
  readonly indexes: Uint8Array | undefined;
}

const BY_ID = 0;
const BY_GUID = 1;
const GUID_BYTES = 16;

/**
 * Read the frame of a record from its header or, without the header, from its value. Undefined if
 * there is no frame.
 *
 * **Source** Confluent's wire format: a byte 0 and the four bytes of the schema's id, or a byte 1
 * and the sixteen bytes of its GUID. They are before the payload, or in the header
 * `__value_schema_id`.
 *
 * @param header  that header's bytes, where the record has it
 * @example
 * frameOf(Uint8Array.of(0, 0, 0, 0, 7, 2), 0, 6)?.key; // 'id 7'
 */
export function frameOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  header?: Uint8Array,
): Frame | undefined {
  if (header !== undefined) {
    const beside = prefixOf(header, 0, header.length);
    if (beside === undefined) return undefined;
    const rest = header.subarray(beside.start);
    return {
      key: beside.key,
      start,
      indexes: rest.length > 0 ? rest : undefined,
    };
  }
  return prefixOf(bytes, start, end);
}

function prefixOf(bytes: Uint8Array, start: number, end: number): Frame | undefined {
  const magic = bytes[start];
  if (magic === BY_ID && end - start >= 5) {
    const id =
      ((bytes[start + 1] << 24) |
        (bytes[start + 2] << 16) |
        (bytes[start + 3] << 8) |
        bytes[start + 4]) >>>
      0;
    return {
      key: keyOfId(id),
      start: start + 5,
      indexes: undefined,
    };
  }
  if (magic === BY_GUID && end - start > GUID_BYTES) {
    const payload = start + 1 + GUID_BYTES;
    let guid = '';
    for (let at = start + 1; at < payload; at++) {
      guid += bytes[at].toString(16).padStart(2, '0');
    }
    return {
      key: `guid ${guid}`,
      start: payload,
      indexes: undefined,
    };
  }
  return undefined;
}

let last = {
  id: -1,
  key: '',
};

/** Key of a schema's id; the latest one is cached, since a topic has few schemas. */
function keyOfId(id: number): string {
  if (last.id !== id) {
    last = {
      id,
      key: `id ${id}`,
    };
  }
  return last.key;
}
