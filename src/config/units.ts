/**
 * This file parses and formats durations and sizes as people write them: `90s`, `1h`, `30d`,
 * `1MiB`.
 */

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1_000,
  KiB: 1_024,
  MB: 1_000_000,
  MiB: 1_048_576,
  GB: 1_000_000_000,
  GiB: 1_073_741_824,
};

export const DURATION_PATTERN = '^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)(ms|s|m|h|d)$';
export const SIZE_PATTERN = '^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)(B|KB|KiB|MB|MiB|GB|GiB)$';
export const DURATION_WORDS = 'a duration such as 90s, 1h or 30d, or whole milliseconds';
export const SIZE_WORDS = 'a size such as 512KiB or 1MiB, or whole bytes';

/**
 * Parse a duration to milliseconds. Throws a RangeError if it is not a whole number of
 * milliseconds.
 */
export function parseDuration(value: string | number): number {
  return wholeUnits(value, MS_PER_UNIT, DURATION_WORDS, 'milliseconds');
}

/** Parse a size to bytes. Throws a RangeError if it is not a whole number of bytes. */
export function parseSize(value: string | number): number {
  return wholeUnits(value, BYTES_PER_UNIT, SIZE_WORDS, 'bytes');
}

/** Format a duration as the shortest exact text: 3,600,000 gives `1h`, 90,000 gives `90s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = MS_PER_UNIT[unit]!;
    if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

function wholeUnits(
  value: string | number,
  units: Readonly<Record<string, number>>,
  expected: string,
  unitWord: string,
): number {
  const match = /^(\d+(?:\.\d+)?|\.\d+)([A-Za-z]+)$/.exec(typeof value === 'number' ? '' : value);
  const size = match === null ? undefined : units[match[2]!];
  const exact = typeof value === 'number' ? value : match && size ? Number(match[1]) * size : NaN;
  if (Number.isNaN(exact)) throw new RangeError(`expected ${expected}`);
  // Round, since 1.1 s is 1100.0000000000002 ms in floating point.
  const whole = Math.round(exact);
  if (!Number.isSafeInteger(whole) || Math.abs(exact - whole) > 1e-6 || whole < 0) {
    throw new RangeError(`expected a whole number of ${unitWord}`);
  }
  return whole;
}
