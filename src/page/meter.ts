import { isKnown } from '../rows/figures.js';
import { make } from './element.js';

/** Create a bar from 0 to a value, with its interval. The full width stands for `most`. */
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

/** Position of a value as a CSS percentage of the bar's width, limited to 0 to 100 %. */
export function placeIn(most: number, value: number): string {
  return `${Math.max(0, Math.min(100, (100 * value) / most))}%`;
}
