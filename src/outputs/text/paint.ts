import { styleText } from 'node:util';
import type { Severity } from '../../rows/findings/finding.js';

/** Applies a style to text, or leaves it unchanged without colours. */
export type Paint = (style: Style, text: string) => string;

export type Style = keyof typeof CODES;

const CODES = {
  heading: 'bold',
  good: 'green',
  note: 'reset',
  caution: 'yellow',
  problem: 'red',
} as const satisfies Readonly<Record<Severity | 'heading', Parameters<typeof styleText>[0]>>;

export const PLAIN: Paint = (_, text) => text;

const COLORED: Paint = (style, text) =>
  style === 'note' ? text : styleText(CODES[style], text, { validateStream: false });

export function paintFor({ hasColor }: { readonly hasColor: boolean }): Paint {
  return hasColor ? COLORED : PLAIN;
}
