import type { Line } from './series-table.js';

/**
 * An interval counts as too wide to extend the axis if its width is more than this multiple of the
 * median width.
 */
export const FAR_WIDER = 4;

type Values = readonly (number | null | undefined)[];

/**
 * Compute the range of the y axis; undefined without values. The range contains the newest value of
 * each line. It contains the other values unless their interval is far wider than the median one.
 * Of the lower ends of intervals it contains all but the lowest tenth, and of the upper ends all
 * but the highest tenth.
 */
export function rangeOf(
  lines: readonly Pick<Line, 'values' | 'band'>[],
): [number, number] | undefined {
  const held = lines.flatMap(({ values, band }) =>
    band === undefined ? values.filter(isNumber) : heldOf(values, band),
  );
  return held.length === 0 ? undefined : [Math.min(...held), Math.max(...held)];
}

function heldOf(values: Values, { lower, upper }: NonNullable<Line['band']>): number[] {
  const widths = values.map((_, n) => widthOf(lower[n], upper[n]));
  const usual = atShare(widths.filter(isNumber), 0.5);
  const held = values.filter((value, n): value is number => {
    const width = widths[n];
    return isNumber(value) && (width === null || width <= FAR_WIDER * (usual ?? 0));
  });
  const newest = values.findLast(isNumber);
  const ends = [atShare(lower.filter(isNumber), 0.1, 'up'), atShare(upper.filter(isNumber), 0.9)];
  return [...held, newest, ...ends].filter(isNumber);
}

function widthOf(lower: number | null | undefined, upper: number | null | undefined) {
  return isNumber(lower) && isNumber(upper) ? upper - lower : null;
}

/** Compute a quantile by the nearest rank, rounded down or up. */
function atShare(values: readonly number[], share: number, to: 'up' | 'down' = 'down') {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  return sorted[to === 'up' ? Math.ceil(place) : Math.floor(place)];
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
