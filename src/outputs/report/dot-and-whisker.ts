import { UNCORRECTED } from '../../estimators/names.js';
import { decimal } from '../../rows/figures.js';
import { type LinearScale, placeOn } from '../../rows/scale.js';
import { html, type Markup, type Piece } from './markup.js';

/** One estimate as a dot with its interval as a whisker. */
export interface Whisker {
  readonly label: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly mark: 'uncorrected' | 'debiased' | 'randomized';
  /** Shown while a pointer rests on it. */
  readonly title: string;
}

/** Whiskers that belong together, e.g. those of one model. */
export interface WhiskerGroup {
  readonly heading: Piece;
  readonly whiskers: readonly Whisker[];
}

const HEIGHT = 20;
const MIDDLE = HEIGHT / 2;

/**
 * Dots and whiskers of all groups on one scale. Each row is a strip of its own that stretches with
 * the page, its coordinates in percent, so that text and dots keep their size on a phone.
 */
export function dotAndWhisker(
  title: string,
  groups: readonly WhiskerGroup[],
  scale: LinearScale,
): Markup {
  return html`<div class="panel">
<h4>${title}</h4>
${groups.map((group) => groupRows(group, scale))}
<div class="row axis" aria-hidden="true"><span></span>${axis(scale)}<span></span></div>
</div>
`;
}

function groupRows({ heading, whiskers }: WhiskerGroup, scale: LinearScale): Markup {
  const naive = whiskers.find(({ label }) => label === UNCORRECTED)?.value;
  return html`<p class="group">${heading}</p>
${whiskers.map(
  (whisker) =>
    html`<div class="row ${whisker.mark}"><span class="label">${whisker.label}</span>${strip(whisker, naive, scale)}<span class="value">${decimal(whisker.value, 4)}</span></div>
`,
)}`;
}

function strip(whisker: Whisker, naive: number | undefined, scale: LinearScale): Markup {
  const { label, value, lower, upper, title, mark } = whisker;
  const [at, from, to] = [value, lower, upper].map((number) => placeOn(scale, number));
  return html`<svg class="strip" width="100%" height="${HEIGHT}" role="img"><title>${title}</title>${grid(scale)}${
    naive === undefined || label === UNCORRECTED
      ? null
      : vertical('reference', placeOn(scale, naive))
  }<line class="whisker" x1="${from!}%" x2="${to!}%" y1="${MIDDLE}" y2="${MIDDLE}"/><svg x="${at!}%" y="${MIDDLE}" width="1" height="1" overflow="visible">${MARKS[mark]}</svg></svg>`;
}

/** Marks differ in shape, so that no meaning rests on colour. */
export const MARKS: Readonly<Record<Whisker['mark'], Markup>> = {
  uncorrected: html`<path class="mark" d="M-5.5 0L0-5.5L5.5 0L0 5.5Z"/>`,
  debiased: html`<circle class="mark" r="4.5"/>`,
  randomized: html`<rect class="mark" x="-4.2" y="-4.2" width="8.4" height="8.4"/>`,
};

function grid(scale: LinearScale): Markup[] {
  return scale.ticks.map((tick) => vertical('grid', placeOn(scale, tick)));
}

function vertical(kind: string, at: number): Markup {
  return html`<line class="${kind}" x1="${at}%" x2="${at}%" y1="0" y2="${HEIGHT}"/>`;
}

function axis(scale: LinearScale): Markup {
  const labels = scale.ticks.map((tick) => {
    const at = placeOn(scale, tick);
    return html`<text x="${at}%" y="13" text-anchor="middle">${decimal(tick, scale.digits)}</text>`;
  });
  return html`<svg class="strip" width="100%" height="18">${labels}</svg>`;
}
