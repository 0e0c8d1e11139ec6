import { randomBytes } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';
import type { RefusedRecords } from '../../../stream/ports.js';

/**
 * Key of the record that replaces a rejected batch. It is random and known only to this process, so
 * no producer can write such a record.
 */
const MARK = randomBytes(16);

// A batch begins with a header of fixed layout; its records follow.
export const HEADER_BYTES = 61;
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const COUNT_AT = 57;
/**
 * The length that a batch states does not include this many bytes: the first offset and the length
 * itself.
 */
const UNCOUNTED_BYTES = 12;
const MAGIC = 2;
const CODEC_BITS = 7;

/**
 * Find the header of a batch. The client passes only the compressed records to a codec, and the
 * header lies before them in the buffer of the response. Undefined in the format before Kafka 0.11,
 * which compresses single messages.
 */
export function headerBefore(packed: Buffer): DataView | undefined {
  const start = packed.byteOffset - HEADER_BYTES;
  if (start < 0) return undefined;
  const header = new DataView(packed.buffer, start, HEADER_BYTES);
  const length = HEADER_BYTES - UNCOUNTED_BYTES + packed.length;
  const isHeader = header.getInt8(MAGIC_AT) === MAGIC && header.getInt32(LENGTH_AT) === length;
  return isHeader ? header : undefined;
}

export function recordCount(header: DataView): number {
  return header.getInt32(COUNT_AT);
}

/**
 * Replace all compressed records by one small record at their last offset, so that reading
 * continues after them.
 *
 * @returns false if there is no room for it
 */
export function refuse(packed: Buffer, header: DataView, refused: RefusedRecords): boolean {
  const record = standIn(header.getInt32(LAST_OFFSET_DELTA_AT), refused);
  if (record.length > packed.length) return false;
  packed.set(record);
  header.setInt32(COUNT_AT, 1);
  header.setInt16(ATTRIBUTES_AT, header.getInt16(ATTRIBUTES_AT) & ~CODEC_BITS);
  return true;
}

/** Return the rejection that a message stands for; undefined for a normal message. */
export function refusedBy({ key, value }: KafkaMessage): RefusedRecords | undefined {
  if (key?.length !== MARK.length || !MARK.equals(key) || value === null) return undefined;
  return JSON.parse(value.toString()) as RefusedRecords;
}

function standIn(offsetDelta: number, refused: RefusedRecords): Buffer {
  const value = Buffer.from(JSON.stringify(refused));
  const NOTHING = [0];
  const body = Buffer.concat([
    // Attributes, and the time since the batch's first.
    Buffer.from([...NOTHING, ...NOTHING]),
    varint(offsetDelta),
    varint(MARK.length),
    MARK,
    varint(value.length),
    value,
    // Headers.
    Buffer.from(NOTHING),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** Zigzag varint: seven bits per byte, least significant first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value * 2;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
