/** A number to be written; what is unknown is a dash. */
export type Figure = number | null | undefined;

export function isKnown(value: Figure): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** With this many decimal places. What rounds to nothing has no sign. */
export function decimal(value: Figure, digits: number): string {
  if (!isKnown(value)) return '–';
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** An interval; a dash where an end is unknown. */
export function between(lower: Figure, upper: Figure, digits = 4): string {
  if (!isKnown(lower) || !isKnown(upper)) return '–';
  return `${decimal(lower, digits)} to ${decimal(upper, digits)}`;
}

/** With its sign, for differences. */
export function signed(value: Figure, digits: number): string {
  const text = decimal(value, digits);
  return isKnown(value) && Number(value.toFixed(digits)) > 0 ? `+${text}` : text;
}

/** A ratio as a percentage. What is not nothing is not shown as nothing. */
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
 * A ratio minus 1 as a percentage with its sign, to a tenth where its interval is narrower than 2 %.
 *
 * @param width of the interval
 */
export function shareWords(ratio: Figure, width = 1): string {
  if (!isKnown(ratio)) return '–';
  return `${signed(100 * ratio, width < 0.02 ? 1 : 0)}\u00a0%`;
}

/** `Intl.NumberFormat` does the same; to load it takes longer than all that a report writes. */
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

export function whole(count: Figure): string {
  if (!isKnown(count)) return '–';
  return String(Math.round(count)).replace(THOUSANDS, ',').replace('-', '−');
}

/** A few digits that tell it apart from others, for axes and sizes of any order. */
export function compact(value: Figure): string {
  if (!isKnown(value)) return '–';
  if (Math.abs(value) >= 1000) return whole(value);
  return String(Number(value.toPrecision(3))).replace('-', '−');
}
