import { normalCdf } from './normal.js';

/** A pane of a series; `follows` where it begins at the end of the one before it. */
export interface Kept {
  readonly value: number;
  readonly weight: number;
  readonly slot: number;
  readonly follows: boolean;
}

const SHIFTS = [0.25, 0.5, 1, 2, 3, -0.25, -0.5, -1, -2, -3];
const clip = (x: number, most: number) => Math.max(-most, Math.min(most, x));
const total = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0);

/** Residuals against the weighted mean of the place, undefined where it holds one value only. */
export function residualsByDefinition(kept: readonly Kept[]): (number | undefined)[] {
  const newest = kept.at(-1)!.slot;
  const isOwn = kept.filter(({ slot }) => slot === newest).length >= 3;
  return kept.map(({ value, weight, slot }) => {
    const place = isOwn ? kept.filter((other) => other.slot === slot) : kept;
    if (place.length < 2) return undefined;
    const all = total(place.map((other) => other.weight));
    const mean = total(place.map((other) => other.weight * other.value)) / all;
    const difference = Math.abs(value - mean) > 1e-12 ? value - mean : 0;
    return (difference * Math.sqrt(weight)) / Math.sqrt(1 - weight / all);
  });
}

export function whitenedByDefinition(kept: readonly Kept[]): (number | undefined)[] {
  const u = residualsByDefinition(kept);
  const known = u.filter((x) => x !== undefined);
  const sd = Math.sqrt(total(known.map((x) => x * x)) / known.length);
  if (sd === 0) return u;
  const pairs = kept.flatMap(({ follows }, i) => {
    const now = u[i];
    const before = u[i - 1];
    if (!follows || now === undefined || before === undefined) return [];
    return [[clip(now / sd, 4), clip(before / sd, 4)] as const];
  });
  const raw = total(pairs.map(([a, b]) => a * b)) / (10 + total(pairs.map(([, b]) => b * b)));
  const phi = Math.abs(clip(raw, 0.9)) < 2 / Math.sqrt(known.length) ? 0 : clip(raw, 0.9);
  return u.map((now, i) => {
    const before = u[i - 1];
    if (now === undefined || before === undefined || !kept[i]!.follows) return now;
    return (now - phi * before) / Math.sqrt(1 - phi * phi);
  });
}

/** Of each shift the e-value of the newest pane's rank, by the distribution function itself. */
export function eValuesByDefinition(kept: readonly Kept[]): number[] {
  const e = whitenedByDefinition(kept).filter((x) => x !== undefined);
  const u = residualsByDefinition(kept).filter((x) => x !== undefined);
  const sd = Math.sqrt(total(u.map((x) => x * x)) / u.length);
  const newest = e.at(-1)!;
  const a = e.filter((x) => x < newest - 1e-9 * sd).length / e.length;
  const b = e.filter((x) => x <= newest + 1e-9 * sd).length / e.length;
  const low = quantile(a);
  const high = quantile(b);
  return SHIFTS.map((shift) => (cdf(high - shift) - cdf(low - shift)) / (b - a));
}

const cdf = (z: number) => (z > 8.5 ? 1 : z < -8.5 ? 0 : normalCdf(z));

function quantile(p: number): number {
  if (p === 0 || p === 1) return p === 0 ? -20 : 20;
  let low = -8;
  let high = 8;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Mean over the shifts of the sum, or the largest, of the products from all starts. */
export function detectorByDefinition(panes: readonly (readonly number[])[], of: 'sum' | 'largest') {
  const scores = SHIFTS.map((_, c) => {
    const products = panes.map((_, j) => panes.slice(j).reduce((p, pane) => p * pane[c]!, 1));
    return of === 'sum' ? total(products) : Math.max(...products);
  });
  return total(scores) / SHIFTS.length;
}
