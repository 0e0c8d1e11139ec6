import type { FaultReason } from '../fault.js';

const MAX_DATE_MS = 8.64e15;

/**
 * Format a time as text, so that the unit that a mapping sets for numbers does not apply to it.
 *
 * @param count  time since the epoch, in units of 1 / `perMs` ms
 * @param perMs  number of units per millisecond
 * @returns ISO 8601 text; `count` if a date cannot hold the time
 */
export function momentText(count: number | bigint, perMs: number): string | number | bigint {
  const ms = Math.floor(Number(count) / perMs);
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : count;
}

/**
 * Value of a decimal, unscaled × 10^(−scale); `bytes` is the unscaled big-endian two's complement.
 */
export function decimalNumber(bytes: Uint8Array, scale: number): number {
  let unscaled = 0n;
  for (const byte of bytes) {
    unscaled = (unscaled << 8n) | BigInt(byte);
  }
  if (bytes.length > 0 && bytes[0] >= 128) {
    unscaled -= 1n << BigInt(8 * bytes.length);
  }
  return Number(`${unscaled}e${-scale}`);
}

/** Format the sixteen bytes of a UUID as text (RFC 9562). */
export function uuidText(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** Maximum depth of nested values. */
const DEEPEST = 64;
/**
 * Maximum number of values of a payload, beyond its number of bytes. Some values, such as nulls,
 * take no bytes.
 */
const SPARE_VALUES = 1024;

/** Error for bytes that do not match their schema. */
export class PayloadFault extends Error {
  readonly reason: FaultReason;

  constructor(detail: string, reason: FaultReason = 'schema_mismatch') {
    super(detail);
    this.reason = reason;
  }
}

/**
 * Position in a payload, with reading functions common to Avro and Protobuf.
 *
 * Bytes are not trusted: a length cannot exceed the end, and the number of values is limited by the
 * number of bytes.
 */
export class Cursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  depth = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #values = 0;

  load(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.depth = 0;
    this.#values = end - start + SPARE_VALUES;
  }

  float64(): number {
    return this.#dataView().getFloat64(this.take(8) + this.bytes.byteOffset, true);
  }

  float32(): number {
    return this.#dataView().getFloat32(this.take(4) + this.bytes.byteOffset, true);
  }

  /** Read eight little-endian bytes into `low` and `high`. */
  fixed64(): void {
    const start = this.take(8) + this.bytes.byteOffset;
    this.low = this.#dataView().getUint32(start, true);
    this.high = this.#dataView().getUint32(start + 4, true);
  }

  fixed32(): number {
    return this.#dataView().getUint32(this.take(4) + this.bytes.byteOffset, true);
  }

  /**
   * Create a view of the whole buffer, or reuse the last one, since several events share a buffer.
   */
  #dataView(): DataView {
    const { buffer } = this.bytes;
    if (this.#view.buffer !== buffer) {
      this.#view = new DataView(buffer);
    }
    return this.#view;
  }

  /** Skip `count` bytes; @returns their start. */
  take(count: number): number {
    const start = this.at;
    if (!(count >= 0 && count <= this.end - start)) throw cut();
    this.at = start + count;
    return start;
  }

  /**
   * Count values that were read. @throws PayloadFault if there are too many for the number of bytes
   */
  count(values: number): void {
    this.#values -= values;
    if (this.#values < 0) throw new PayloadFault('there are more values than bytes');
  }

  enter(): void {
    if (++this.depth > DEEPEST)
      throw new PayloadFault(`values are nested deeper than ${DEEPEST} levels`);
  }

  leave(): void {
    this.depth--;
  }

  /** Read an unsigned varint of up to 32 bits; more is cut off. */
  varint32(): number {
    const { bytes, end } = this;
    if (this.at < end && bytes[this.at] < 128) return bytes[this.at++];
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= end) throw cut();
      const byte = bytes[this.at++];
      if (shift < 32) {
        value |= (byte & 127) << shift;
      }
      if (byte < 128) return value >>> 0;
    }
    throw new PayloadFault('a number of more than ten bytes');
  }

  /** Read an unsigned 64-bit varint into `low` and `high`. */
  varint64(): void {
    const { bytes, end } = this;
    let low = 0;
    let high = 0;
    for (let n = 0; n < 10; n++) {
      if (this.at >= end) throw cut();
      const byte = bytes[this.at++];
      const bits = byte & 127;
      if (n < 4) {
        low |= bits << (7 * n);
      } else if (n === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else {
        high |= bits << (7 * n - 32);
      }
      if (byte < 128) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new PayloadFault('a number of more than ten bytes');
  }

  low = 0;
  high = 0;

  /**
   * Read a zigzag number of one byte, if it is from 0 to 63. Otherwise return −1 and do not
   * advance.
   */
  shortZigzag(): number {
    if (this.at >= this.end) return -1;
    const byte = this.bytes[this.at];
    if ((byte & 129) !== 0) return -1;
    this.at++;
    return byte >>> 1;
  }

  /** `low` and `high` as a signed 64-bit integer; a bigint if a number would not be exact. */
  signed(): number | bigint {
    const value = (this.high | 0) * 4_294_967_296 + this.low;
    if (Number.isSafeInteger(value)) return value;
    return (BigInt(this.high | 0) << 32n) | BigInt(this.low);
  }

  unsigned(): number | bigint {
    const value = this.high * 4_294_967_296 + this.low;
    if (Number.isSafeInteger(value)) return value;
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /**
   * `low` and `high` as a zigzag-encoded 64-bit integer; a bigint if a number would not be exact.
   */
  zigzag(): number | bigint {
    const { low, high } = this;
    const sign = -(low & 1);
    this.low = (((low >>> 1) | (high << 31)) ^ sign) >>> 0;
    this.high = ((high >>> 1) ^ sign) >>> 0;
    return this.signed();
  }

  /** Decode bytes start ≤ i < end as UTF-8. @throws PayloadFault if they are ill-formed */
  text(start: number, end: number): string {
    try {
      return DECODER.decode(this.bytes.subarray(start, end));
    } catch {
      throw new PayloadFault('a text is not well-formed UTF-8', 'invalid_utf8');
    }
  }
}

const DECODER = new TextDecoder('utf-8', {
  fatal: true,
  ignoreBOM: true,
});

function cut(): PayloadFault {
  return new PayloadFault('the bytes end within a value');
}
