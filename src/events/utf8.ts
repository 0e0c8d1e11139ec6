/**
 * Length of the well-formed UTF-8 sequence of two to four bytes that starts at `at`.
 *
 * Overlong forms, surrogates, code points above U+10FFFF and sequences cut off by `end` are ill
 * formed.
 *
 * Source: The Unicode Standard, table 3-7 (well-formed UTF-8 byte sequences).
 *
 * @param at  position of a byte ≥ 0x80
 * @returns 2, 3 or 4; 0 if the sequence is ill formed
 * @example
 * utf8SequenceLength(new TextEncoder().encode('é'), 0, 2) === 2
 */
export function utf8SequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at];
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > end) return 0;
  const second = bytes[at + 1];
  if (second < lowestSecond(lead) || second > highestSecond(lead)) return 0;
  if (length > 2 && (bytes[at + 2] & 0xc0) !== 0x80) return 0;
  if (length > 3 && (bytes[at + 3] & 0xc0) !== 0x80) return 0;
  return length;
}

function lowestSecond(lead: number): number {
  return lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
}

function highestSecond(lead: number): number {
  return lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
}
