import { decimal, percent } from '../../rows/figures.js';
import { type LinearScale, linearScale, placeOn } from '../../rows/scale.js';
import { MARKS } from './dot-and-whisker.js';
import { html, type Markup, type Piece } from './markup.js';

/** A model's value with its interval, and the uncorrected value, to which a line connects it. */
export interface Dumbbell {
  readonly name: Piece;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly uncorrected?: number;
}

const HEIGHT = 24;
const MIDDLE = HEIGHT / 2;

/**
 * Draw one line per model on a common scale: value with interval, connected to the uncorrected
 * value.
 */
export function dumbbellPlot(rows: readonly Dumbbell[], heading: string): Markup {
  const scale = linearScale(
    rows.flatMap(({ value, lower, upper, uncorrected = value }) => [
      value,
      uncorrected,
      ...[lower, upper].filter((end) => !Number.isNaN(end)),
    ]),
  );
  const isCorrected = rows.some(({ uncorrected }) => uncorrected !== undefined);
  return html`<div class="dumbbells">
<div class="line head"><span></span><span></span><span>${heading}</span>${isCorrected ? html`<span>uncorrected</span><span>change</span>` : null}</div>
${rows.map((row) => line(row, scale, isCorrected))}<div class="line" aria-hidden="true"><span></span>${axis(scale)}<span></span></div>
</div>
`;
}

function line(row: Dumbbell, scale: LinearScale, isCorrected: boolean): Markup {
  const { name, value, uncorrected } = row;
  const plain = uncorrected === undefined ? '–' : decimal(uncorrected, 4);
  return html`<div class="line"><span class="label">${name}</span>${strip(row, scale)}<b>${decimal(value, 4)}</b>${
    isCorrected ? html`<span>${plain}</span><span>${changeOf(row)}</span>` : null
  }</div>
`;
}

function changeOf({ value, uncorrected = 0 }: Dumbbell): string {
  return uncorrected === 0 ? '–' : signedPercent(value / uncorrected - 1);
}

function signedPercent(share: number): string {
  const text = percent(Math.abs(share));
  return share < 0 ? `−${text}` : `+${text}`;
}

function strip({ value, lower, upper, uncorrected }: Dumbbell, scale: LinearScale): Markup {
  const known = [lower, upper].map((end) => (Number.isNaN(end) ? value : end));
  const [at, from, to] = [value, ...known].map((number) => placeOn(scale, number));
  const words = `95 % interval from ${decimal(lower, 4)} to ${decimal(upper, 4)}`;
  const before = uncorrected === undefined ? undefined : placeOn(scale, uncorrected);
  return html`<svg class="strip" width="100%" height="${HEIGHT}" role="img"><title>${words}</title>${scale.ticks.map(
    (tick) => {
      const x = placeOn(scale, tick);
      return html`<line class="grid" x1="${x}%" x2="${x}%" y1="0" y2="${HEIGHT}"/>`;
    },
  )}${
    before === undefined
      ? null
      : html`<line class="moved" x1="${before}%" x2="${at!}%" y1="${MIDDLE}" y2="${MIDDLE}"/><svg class="before" x="${before}%" y="${MIDDLE}" width="1" height="1" overflow="visible">${MARKS.uncorrected}</svg>`
  }<line class="whisker" x1="${from!}%" x2="${to!}%" y1="${MIDDLE}" y2="${MIDDLE}"/><svg x="${at!}%" y="${MIDDLE}" width="1" height="1" overflow="visible">${MARKS.debiased}</svg></svg>`;
}

function axis(scale: LinearScale): Markup {
  const labels = scale.ticks.map((tick) => {
    const at = placeOn(scale, tick);
    return html`<text x="${at}%" y="13" text-anchor="middle">${decimal(tick, scale.digits)}</text>`;
  });
  return html`<svg class="strip" width="100%" height="18">${labels}</svg>`;
}
