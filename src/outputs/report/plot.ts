import { html, type Markup } from './markup.js';

/** Dimensions of a plot and its margins, in units of its view box. */
export const PLOT = {
  width: 420,
  height: 300,
  left: 60,
  right: 24,
  top: 12,
  bottom: 44,
} as const;

export interface PlotTick {
  /** Position on the axis, from 0 (start) to 1 (end). */
  readonly at: number;
  readonly label: string;
}

export interface PlotFrame {
  /** Text alternative for readers who cannot see the plot. */
  readonly title: string;
  readonly x: {
    readonly title: string;
    readonly ticks: readonly PlotTick[];
  };
  readonly y: {
    readonly title: string;
    readonly ticks: readonly PlotTick[];
  };
}

/** Convert a position on the horizontal axis, 0 to 1, to x in the drawing. */
export function across(share: number): number {
  return rounded(PLOT.left + share * (PLOT.width - PLOT.left - PLOT.right));
}

/** Convert a position on the vertical axis, 0 (bottom) to 1 (top), to y in the drawing. */
export function up(share: number): number {
  return rounded(PLOT.height - PLOT.bottom - share * (PLOT.height - PLOT.top - PLOT.bottom));
}

/** Build an SVG path through points whose coordinates are positions on the axes, 0 to 1. */
export function pathThrough(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], p) => `${p === 0 ? 'M' : 'L'}${across(x)} ${up(y)}`).join('');
}

/** Draw the axes with titles and ticks, and the content between them. */
export function plot({ title, x, y }: PlotFrame, content: readonly Markup[]): Markup {
  const left = across(0);
  const right = across(1);
  const bottom = up(0);
  const top = up(1);
  return html`<svg class="plot" viewBox="0 0 ${PLOT.width} ${PLOT.height}" role="img"><title>${title}</title>
${y.ticks.map(({ at }) => html`<line class="grid" x1="${left}" x2="${right}" y1="${up(at)}" y2="${up(at)}"/>`)}
${x.ticks.map(({ at }) => html`<line class="grid" x1="${across(at)}" x2="${across(at)}" y1="${bottom}" y2="${top}"/>`)}
${y.ticks.map(({ at, label }) => html`<text x="${left - 6}" y="${up(at) + 4}" text-anchor="end">${label}</text>`)}
${x.ticks.map(({ at, label }) => html`<text x="${across(at)}" y="${bottom + 16}" text-anchor="middle">${label}</text>`)}
<text class="axis-title" x="${(left + right) / 2}" y="${PLOT.height - 6}" text-anchor="middle">${x.title}</text>
<text class="axis-title" transform="translate(12 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${y.title}</text>
${content}
</svg>
`;
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/**
 * Number of line styles. They differ in dashes and in colours that colour-blind people can
 * distinguish.
 */
export const SERIES = 6;

/** Draw a legend that assigns the line styles 0, 1, … to names. */
export function lineLegend(names: readonly (Markup | string)[]): Markup {
  const sample = (s: number) =>
    html`<svg width="30" height="12" aria-hidden="true"><line class="series s${s % SERIES}" x1="1" x2="29" y1="6" y2="6"/></svg>`;
  return html`<ul class="legend">${names.map((name, s) => html`<li>${sample(s)} ${name}</li>`)}</ul>
`;
}
