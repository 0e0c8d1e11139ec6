const MAX_DATE_MS = 8.64e15;

/**
 * A moment as text, which means the same whatever unit a mapping gives to numbers.
 *
 * @param count  since the epoch. @param perMs  how many of them are a millisecond
 */
export function momentText(count: number | bigint, perMs: number): string | number | bigint {
  const ms = Math.floor(Number(count) / perMs);
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : count;
}

/** unscaled × 10^(−scale), of a two's complement number, the most significant byte first. */
export function decimalNumber(bytes: Uint8Array, scale: number): number {
  let unscaled = 0n;
  for (const byte of bytes) unscaled = (unscaled << 8n) | BigInt(byte);
  if (bytes.length > 0 && bytes[0] >= 128) unscaled -= 1n << BigInt(8 * bytes.length);
  return Number(`${unscaled}e${-scale}`);
}

/** RFC 9562's text of sixteen bytes. */
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
