/** A number to format; unknown ones (null, undefined, NaN) become a dash. */
export type Figure = number | null | undefined;

export function isKnown(value: Figure): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Format a number with a fixed number of decimal places. A value that rounds to 0 has no sign. */
export function decimal(value: Figure, digits: number): string {
  if (!isKnown(value)) return '–';
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** Format an interval as `lower to upper`; if an end is unknown, the result is a dash. */
export function between(lower: Figure, upper: Figure, digits = 4): string {
  if (!isKnown(lower) || !isKnown(upper)) return '–';
  return `${decimal(lower, digits)} to ${decimal(upper, digits)}`;
}

/** Format a difference with its sign. */
export function signed(value: Figure, digits: number): string {
  const text = decimal(value, digits);
  return isKnown(value) && Number(value.toFixed(digits)) > 0 ? `+${text}` : text;
}

/** Format a ratio as a percentage. With no decimals, a ratio above 0 never becomes 0 %. */
export function percent(ratio: Figure, digits = 0): string {
  if (!isKnown(ratio)) return '–';
  const shown = 100 * ratio;
  if (shown > 0 && shown < 0.5 && digits === 0) return 'under 1\u00a0%';
  return `${decimal(shown, digits)}\u00a0%`;
}

export function signedPercent(ratio: Figure): string {
  return isKnown(ratio) && ratio > 0 ? `+${percent(ratio)}` : percent(ratio);
}

/**
 * Format a relative change as a signed percentage, with one decimal if its interval is narrower
 * than 2 percentage points.
 *
 * @param width width of the interval, as a ratio
 */
export function shareWords(ratio: Figure, width = 1): string {
  if (!isKnown(ratio)) return '–';
  return `${signed(100 * ratio, width < 0.02 ? 1 : 0)}\u00a0%`;
}

/**
 * Positions of thousands separators. `Intl.NumberFormat` would take longer to load than a whole
 * report takes to write.
 */
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

export function whole(count: Figure): string {
  if (!isKnown(count)) return '–';
  return String(Math.round(count)).replace(THOUSANDS, ',').replace('-', '−');
}

/**
 * Format a count with its noun, which gets an s unless the count is 1.
 *
 * @example
 * counted(1, 'partition'); // '1 partition'
 * counted(2000, 'event'); // '2,000 events'
 */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Format a number with three significant digits, for axes and for values of any magnitude. */
export function compact(value: Figure): string {
  if (!isKnown(value)) return '–';
  if (Math.abs(value) >= 1000) return whole(value);
  return String(Number(value.toPrecision(3))).replace('-', '−');
}
