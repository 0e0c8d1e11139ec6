import type { SchemaElement } from 'hyparquet';
import type { RowValues } from './field-columns.js';

const MS_A_DAY = 86_400_000;

/** An element as plain numbers or bytes: what its values stand for is worked out here. */
export function unconverted(element: SchemaElement): SchemaElement {
  const { converted_type: _, logical_type: __, ...plain } = element;
  return plain;
}

/** ms of the raw numbers of an instant; of days where the element is a date. */
export function instants(values: RowValues, element: SchemaElement): RowValues {
  const { converted_type, logical_type, type } = element;
  const unit = logical_type?.type === 'TIMESTAMP' ? logical_type.unit : undefined;
  if (converted_type === 'DATE' || logical_type?.type === 'DATE') {
    return Array.from(values, (days) => (isGap(days) ? null : Number(days) * MS_A_DAY));
  }
  // The reader makes ns of these itself.
  if (type === 'INT96') return values;
  const perMs =
    unit === 'NANOS' ? 1e6 : unit === 'MICROS' || converted_type === 'TIMESTAMP_MICROS' ? 1e3 : 1;
  if (values instanceof BigInt64Array) return wholeMs(values, perMs);
  return Array.from(values, (value) => {
    if (isGap(value)) return null;
    return typeof value === 'bigint' ? floored(value, perMs) : Math.floor(Number(value) / perMs);
  });
}

/** As `floored`, without a BigInt for each where a double is exact. */
function wholeMs(values: BigInt64Array, perMs: number): Float64Array {
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const ms = new Float64Array(values.length);
  for (let i = 0; i < ms.length; i++) {
    const high = halves[2 * i + 1];
    const isExact = high < 0x1fffff && high >= -0x200000;
    ms[i] = isExact
      ? Math.floor((high * 0x100000000 + (halves[2 * i] >>> 0)) / perMs)
      : floored(values[i], perMs);
  }
  return ms;
}

/** The ms that a moment lies in, before 1970 too. */
function floored(value: bigint, perMs: number): number {
  const divisor = BigInt(perMs);
  const quotient = value / divisor;
  return Number(value < 0n && quotient * divisor !== value ? quotient - 1n : quotient);
}

export function msOfNanos(nanos: bigint): number {
  return floored(nanos, 1e6);
}

/** Decimals as the doubles that lie nearest to them. */
export function decimals(values: RowValues, element: SchemaElement): RowValues {
  const { logical_type } = element;
  const scale = logical_type?.type === 'DECIMAL' ? logical_type.scale : (element.scale ?? 0);
  const numberOf = (value: unknown): unknown => {
    if (isGap(value)) return null;
    if (Array.isArray(value)) return value.map(numberOf);
    const units = value instanceof Uint8Array ? bigEndian(value) : BigInt(value as number);
    const isExact = scale <= 22 && units < 1n << 53n && units > -(1n << 53n);
    return isExact ? Number(units) / 10 ** scale : Number(`${units}e-${scale}`);
  };
  return Array.from(values, numberOf);
}

/** Two's complement, the highest byte first. */
function bigEndian(bytes: Uint8Array): bigint {
  let units = 0n;
  for (const byte of bytes) units = units * 256n + BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, units);
}

function isGap(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
