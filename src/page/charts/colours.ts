/**
 * Colours after Okabe and Ito, which people with any common colour blindness can distinguish. Those
 * for the dark theme are lighter. Lines are labelled too, so that readers need not distinguish
 * colours.
 */
const LIGHT = ['#0072b2', '#d55e00', '#00795a', '#b0558a', '#8a6d00', '#3d7ea6', '#6b6b6b'];
const DARK = ['#56b4e9', '#f0813a', '#2bc79a', '#e59ac6', '#e8c13a', '#8fd0ff', '#b5b5b5'];
const DASHES: readonly (readonly number[])[] = [[], [8, 3], [2, 3], [8, 3, 2, 3]];

export interface Palette {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly ground: string;
  readonly warn: string;
  /** Colour of the model with index n. */
  of(n: number): string;
  /** Dash pattern of the model with index n, which distinguishes models with the same colour. */
  dash(n: number): readonly number[];
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const colours = read('--scheme') === 'dark' ? DARK : LIGHT;
  return {
    ink: read('--ink'),
    muted: read('--muted'),
    line: read('--line'),
    ground: read('--panel'),
    warn: read('--warn'),
    of: (n) => (n < 0 ? read('--muted') : colours[n % colours.length]),
    dash: (n) => DASHES[n < 0 ? 1 : Math.floor(n / colours.length) % DASHES.length],
  };
}

export function faded(colour: string, alpha: number): string {
  return `${colour}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
