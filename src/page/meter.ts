import { isKnown } from '../rows/figures.js';
import { make } from './element.js';

/** Gives a bar from 0 to a value with its interval, drawn to `most` at the right. */
export function meter(
  { value, lower, upper }: Readonly<Record<'value' | 'lower' | 'upper', number | null>>,
  most: number,
  colour: string,
): HTMLElement {
  const fill = make('span', 'fill');
  fill.style.width = placeIn(most, value ?? 0);
  fill.style.background = colour;
  const box = make('span', 'meter', fill);
  box.setAttribute('aria-hidden', 'true');
  if (isKnown(lower) && isKnown(upper)) {
    const range = make('span', 'range');
    range.style.left = placeIn(most, lower);
    range.style.right = `calc(100% - ${placeIn(most, upper)})`;
    box.append(range);
  }
  return box;
}

/** How far from the left a value is, as CSS has it. */
export function placeIn(most: number, value: number): string {
  return `${Math.max(0, Math.min(100, (100 * value) / most))}%`;
}
