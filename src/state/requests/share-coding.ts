/** How the shares of a kind of requests are written; nothing but data. */
export interface ShareCoding {
  /** Bytes of each share. */
  readonly bytes: number;
  /** Each is a whole number of this part, 1 / scale; 0 for a floating-point number. */
  readonly scale: number;
  /** Place of the share that is what the others leave of 1, but for a byte; −1 if all are written. */
  readonly rest: number;
}

/** Of 4, 7 and 9 decimals, floats of 32 bits, doubles from 2⁻¹⁵ on, and any double. */
const FORMS = [
  { bytes: 2, scale: 1e4 },
  { bytes: 3, scale: 1e7 },
  { bytes: 4, scale: 1e9 },
  { bytes: 4, scale: 0 },
  { bytes: 7, scale: 0 },
  { bytes: 8, scale: 0 },
] as const;

/** The first byte of each double from 2⁻¹⁵ to 1. */
const FIRST_BYTE = 0x3f;
/** What is left of 1 and the share itself differ by so many of these, in a byte. */
const ROUNDING = 2 ** -57;

/**
 * The shortest form that gives each share back as it was, to the bit: of 9 decimals n / 10⁹ is the double
 * that was read, since a division rounds once, as reading does. Of doubles that are chances of all arms
 * the largest follows from the others: what their sum rounded by is a byte.
 *
 * @param shares in (0, 1].
 * @example
 * codingOf([0.25, 0.75]); // { bytes: 2, scale: 10000, rest: -1 }
 * codingOf([1 / 3, 2 / 3]); // { bytes: 7, scale: 0, rest: 1 }
 */
export function codingOf(shares: readonly number[]): ShareCoding {
  const form = FORMS.find((each) => shares.every((share) => isExact(share, each)))!;
  if (form.bytes <= 4) return { ...form, rest: -1 };
  const rest = shares.indexOf(Math.max(...shares));
  return { ...form, rest: Number.isNaN(leftOf(shares, rest)) ? -1 : rest };
}

/** What the shares of a kind take. */
export function bytesOfShares({ bytes, rest }: ShareCoding, count: number): number {
  return rest < 0 ? bytes * count : bytes * (count - 1) + 1;
}

/** @param coding of these shares. @param at byte at which they begin. */
export function writeShares(
  into: DataView,
  at: number,
  coding: ShareCoding,
  shares: readonly number[],
): void {
  let to = at;
  for (const [place, share] of shares.entries()) {
    if (place === coding.rest) continue;
    writeShare(into, to, coding, share);
    to += coding.bytes;
  }
  if (coding.rest >= 0) into.setInt8(to, leftOf(shares, coding.rest) / ROUNDING);
}

/** One of the shares of a kind. @param at byte at which they begin. @param count of them. */
export function readShare(
  from: DataView,
  at: number,
  coding: ShareCoding,
  count: number,
  place: number,
): number {
  const { bytes, rest } = coding;
  if (place !== rest) {
    const before = rest >= 0 && place > rest ? place - 1 : place;
    return shareAt(from, at + bytes * before, coding);
  }
  let left = 1;
  const end = at + bytes * (count - 1);
  for (let own = at; own < end; own += bytes) left -= shareAt(from, own, coding);
  return left + from.getInt8(end) * ROUNDING;
}

/** By how much a share differs from what the others leave of 1; NaN if that takes more than a byte. */
function leftOf(shares: readonly number[], rest: number): number {
  let left = 1;
  for (const [place, share] of shares.entries()) if (place !== rest) left -= share;
  const by = shares[rest] - left;
  const units = by / ROUNDING;
  const fits = Number.isInteger(units) && Math.abs(units) < 128 && left + by === shares[rest];
  return fits ? by : Number.NaN;
}

function isExact(share: number, { bytes, scale }: Omit<ShareCoding, 'rest'>): boolean {
  if (bytes === 8) return true;
  // What is above 1 has no room, and a request with it is not used.
  if (share > 1) return false;
  if (scale > 0) return Math.round(share * scale) / scale === share;
  return bytes === 4 ? Math.fround(share) === share : share >= 2 ** -15;
}

function writeShare(into: DataView, at: number, { bytes, scale }: ShareCoding, share: number) {
  if (scale > 0) {
    let left = Math.round(share * scale);
    for (let n = 0; n < bytes; n++) {
      into.setUint8(at + n, left % 256);
      left = Math.floor(left / 256);
    }
  } else if (bytes === 4) into.setFloat32(at, share, true);
  else {
    DOUBLE.setFloat64(0, share, true);
    for (let n = 0; n < bytes; n++) into.setUint8(at + n, DOUBLE.getUint8(n));
  }
}

function shareAt(from: DataView, at: number, { bytes, scale }: ShareCoding): number {
  if (scale > 0) {
    const low = from.getUint16(at, true);
    if (bytes === 2) return low / scale;
    if (bytes === 3) return (low + from.getUint8(at + 2) * 0x10000) / scale;
    return (low + from.getUint16(at + 2, true) * 0x10000) / scale;
  }
  if (bytes === 4) return from.getFloat32(at, true);
  if (bytes === 8) return from.getFloat64(at, true);
  DOUBLE.setUint32(0, from.getUint32(at, true), true);
  DOUBLE.setUint32(4, (from.getUint32(at + 3, true) >>> 8) | (FIRST_BYTE << 24), true);
  return DOUBLE.getFloat64(0, true);
}

/** Room for one. */
const DOUBLE = new DataView(new ArrayBuffer(8));
