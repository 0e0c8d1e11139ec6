import { RANDOMISED, UNCORRECTED, UNWEIGHTED } from '../../estimators/names.js';
import { decimal, isKnown, whole } from '../../rows/figures.js';
import type { ShownRow } from '../../rows/row.js';
import { type LinearScale, linearScale, placeOn } from '../../rows/scale.js';
import { formWords } from '../../rows/words.js';
import { html, type Markup, named } from './markup.js';

/**
 * Markers of the kinds of estimates. They differ in shape too, so that readers need not distinguish
 * colours.
 */
export const MARKS = {
  uncorrected: html`<path class="mark" d="M-5.5 0L0-5.5L5.5 0L0 5.5Z"/>`,
  debiased: html`<circle class="mark" r="4.5"/>`,
  randomized: html`<rect class="mark" x="-4.2" y="-4.2" width="8.4" height="8.4"/>`,
};

type MarkName = keyof typeof MARKS;

const MARK_WORDS: Readonly<Record<MarkName, string>> = {
  uncorrected: 'uncorrected',
  debiased: 'corrected for popularity',
  randomized: 'from randomised traffic',
};

const HEIGHT = 20;
const MIDDLE = HEIGHT / 2;

function markOf({ estimator }: ShownRow): MarkName {
  if (estimator === RANDOMISED) return 'randomized';
  return (UNWEIGHTED as readonly string[]).includes(estimator) ? 'uncorrected' : 'debiased';
}

/** Draw the legend for the markers that occur in the given rows; null without rows. */
export function intervalKey(points: readonly ShownRow[]): Markup | null {
  if (points.length === 0) return null;
  const marks = (Object.keys(MARKS) as MarkName[]).filter((mark) =>
    points.some((point) => markOf(point) === mark),
  );
  return html`<p class="lead">Dots are estimates, lines their 95 % intervals.
${marks.map(
  (mark) =>
    html`<span class="key ${mark}"><svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">${MARKS[mark]}</svg> ${MARK_WORDS[mark]}</span> `,
)}
The dashed line is the model’s uncorrected value (${UNCORRECTED}).
In the tables, “γ” is the part of the standard error that comes from fitting γ, which the interval includes. “One draw” is the standard error that drawing a single test set would add.</p>
`;
}

/**
 * Draw estimates with intervals, one line per model, in panels on a common scale. Each line is a
 * separate strip with coordinates in percent that stretches with the page, so text and dots keep
 * their size on a phone. Null without known values.
 */
export function intervalPlots(points: readonly ShownRow[], baseline: string | null): Markup | null {
  const known = points.filter(({ value }) => isKnown(value));
  if (known.length === 0) return null;
  const scale = linearScale(
    known.flatMap(({ value, lower, upper }) => [value, lower, upper]).filter(isKnown),
  );
  const panels = [...new Set(known.map(({ form }) => form))].map((form) => {
    const own = known.filter((row) => row.form === form);
    const models = [...new Set(own.map(({ model }) => model))];
    return html`<div class="panel">
<h4>${formWords(form)}</h4>
${models.map((model) =>
  groupRows(
    own.filter((point) => point.model === model),
    model === baseline,
    scale,
  ),
)}
<div class="row axis" aria-hidden="true"><span></span>${axis(scale)}<span></span></div>
</div>
`;
  });
  return html`<div class="columns">${panels}</div>
`;
}

function groupRows(points: readonly ShownRow[], isBuiltIn: boolean, scale: LinearScale): Markup {
  const naive = points.find(({ estimator }) => estimator === UNCORRECTED)?.value;
  const { model } = points[0];
  return html`<p class="group">${named(model)}${isBuiltIn ? html` <small>built in</small>` : null}</p>
${points.map(
  (point) =>
    html`<div class="row ${markOf(point)}"><span class="label">${point.estimator}</span>${strip(point, naive, scale)}<span class="value">${decimal(point.value, 4)}</span></div>
`,
)}`;
}

function strip(point: ShownRow, naive: number | null | undefined, scale: LinearScale): Markup {
  const { estimator: label, value, lower, upper, ess } = point;
  const [at, from, to] = [value, lower ?? value, upper ?? value].map((end) => placeOn(scale, end!));
  const title = `${label} ${decimal(value, 4)}, 95 % interval ${decimal(lower, 4)} to ${decimal(upper, 4)}, effective sample size ${whole(ess)}`;
  return html`<svg class="strip" width="100%" height="${HEIGHT}" role="img"><title>${title}</title>${grid(scale)}${
    !isKnown(naive) || label === UNCORRECTED ? null : vertical('reference', placeOn(scale, naive))
  }<line class="whisker" x1="${from!}%" x2="${to!}%" y1="${MIDDLE}" y2="${MIDDLE}"/><svg x="${at!}%" y="${MIDDLE}" width="1" height="1" overflow="visible">${MARKS[markOf(point)]}</svg></svg>`;
}

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
