import { UNCORRECTED } from '../../../estimators/names.js';
import { whyNoEstimate } from '../../../page/answers.js';
import { palette } from '../../../page/charts/colours.js';
import { FAR_WIDER } from '../../../page/charts/range.js';
import { draw, make, setText } from '../../../page/element.js';
import type { Panel } from '../../../page/panels/panel.js';
import { colourOf, type View, withBaseline } from '../../../page/view.js';
import { decimal, isKnown, signedPercent } from '../../../rows/figures.js';
import { linearScale, placeOn } from '../../../rows/scale.js';
import { capital, formWords, metricName, middleCut } from '../../../rows/words.js';

/** Uncorrected against corrected, a row for each model on one scale. */
export const MODEL_GAPS: Panel = {
  name: 'gaps',
  width: 5,
  title: ({ tick, estimator }) => `${metricName(tick.chosen)}, ${UNCORRECTED} and ${estimator}`,
  note: ({ tick: { chosen } }) => `${capital(formWords(chosen.aggregation))}, 95 % intervals`,
  mount(box) {
    const host = make('div', 'tall-chart');
    host.id = 'chart-gaps';
    const estimator = make('span');
    const truth = make('span', '', make('span', 'diamond'), 'true, known here');
    truth.id = 'truth-key';
    const hollow = make('span', 'dot hollow');
    box.append(
      host,
      make('p', 'key', hollow, `${UNCORRECTED} `, make('span', 'dot'), estimator, ' ', truth),
    );
    return (view) => {
      setText(estimator, view.estimator);
      truth.hidden = view.tick.window.truth.length === 0;
      showModelGaps(host, view);
    };
  },
};

const ROW = 46;
/** With more models rows move together, and the box scrolls. */
const ROOMY = 10;
const TIGHT_ROW = 26;
const TOP = 26;
const RIGHT = 62;

/** A model's uncorrected estimate, its corrected one, both with intervals, and the truth where it is known. */
interface GapRow {
  readonly model: string;
  readonly uncorrected: Mark | undefined;
  readonly debiased: Mark | undefined;
  readonly truth: number | undefined;
}

interface Mark {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

function showModelGaps(host: HTMLElement, view: View): void {
  const rows = rowsOf(view);
  const width = Math.max(280, host.clientWidth);
  const left = Math.min(150, width * 0.26);
  const step = rows.length > ROOMY ? TIGHT_ROW : ROW;
  const height = TOP + rows.length * step + 8;
  const scale = scaleOf(rows, left, width - RIGHT);
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' });
  svg.setAttribute('aria-label', rows.map((row) => described(row, view.estimator)).join('; '));
  for (const at of scale.ticks) {
    const x = scale.x(at);
    svg.append(
      draw('line', { x1: x, x2: x, y1: TOP - 4, y2: height - 4, class: 'grid' }),
      draw('text', { x, y: 14, class: 'axis', 'text-anchor': 'middle' }, decimal(at, scale.digits)),
    );
  }
  rows.forEach((row, n) => {
    svg.append(rowOf(row, view, { y: TOP + n * step + step / 2, step, left, width, x: scale.x }));
  });
  // What scrolls has to be reached by keyboard.
  host.tabIndex = rows.length > ROOMY ? 0 : -1;
  host.replaceChildren(rows.length === 0 ? make('p', 'empty', whyNoEstimate(view.tick)) : svg);
}

function rowsOf(view: View): GapRow[] {
  const { estimates, truth } = view.tick.window;
  return withBaseline(view).flatMap((model) => {
    const of = (estimator: string): Mark | undefined => {
      const row = estimates.find((own) => own.model === model && own.estimator === estimator);
      if (row === undefined || !isKnown(row.value)) return undefined;
      return { value: row.value, lower: row.lower ?? row.value, upper: row.upper ?? row.value };
    };
    const known = truth.find((row) => row.model === model)?.value;
    const row = {
      model,
      uncorrected: of(UNCORRECTED),
      debiased: view.estimator === UNCORRECTED ? undefined : of(view.estimator),
      truth: isKnown(known) ? known : undefined,
    };
    return row.uncorrected === undefined && row.debiased === undefined ? [] : [row];
  });
}

interface Place {
  readonly y: number;
  /** Height of the row. */
  readonly step: number;
  readonly left: number;
  readonly width: number;
  readonly x: (value: number) => number;
}

function rowOf(gap: GapRow, view: View, { y, step, left, width, x }: Place): SVGElement {
  const { model, uncorrected, debiased, truth } = gap;
  const colours = palette();
  const colour = colours.of(colourOf(view, model));
  const isBaseline = model === view.tick.baseline;
  const group = draw('g', {});
  const label = draw('text', { x: 0, y: y + 4, class: 'model' }, shortened(model, left));
  label.append(draw('title', {}, model));
  group.append(label);
  if (isBaseline && step === ROW)
    group.append(draw('text', { x: 0, y: y + 18, class: 'axis' }, 'built in'));
  if (uncorrected !== undefined && debiased !== undefined) {
    const ends = { x1: x(uncorrected.value), x2: x(debiased.value), y1: y, y2: y };
    group.append(draw('line', { ...ends, stroke: colour, class: 'shift' }));
  }
  if (uncorrected !== undefined) {
    group.append(whisker(uncorrected, y, x, colours.muted, 1.5));
    const dot = { cx: x(uncorrected.value), cy: y, r: 5.5, stroke: colours.muted };
    group.append(draw('circle', { ...dot, fill: colours.ground, 'stroke-width': 2 }));
  }
  if (debiased !== undefined) {
    group.append(whisker(debiased, y, x, colour, 3));
    group.append(draw('circle', { cx: x(debiased.value), cy: y, r: 6.5, fill: colour }));
  }
  if (truth !== undefined)
    group.append(truthMark(x(truth), y, Math.min(19, step / 2), colours.ink));
  if (uncorrected !== undefined && debiased !== undefined && uncorrected.value > 0) {
    const change = signedPercent((debiased.value - uncorrected.value) / uncorrected.value);
    group.append(
      draw('text', { x: width, y: y + 4, class: 'change', 'text-anchor': 'end' }, change),
    );
  }
  return group;
}

function whisker(
  { lower, upper }: Mark,
  y: number,
  x: (value: number) => number,
  stroke: string,
  width: number,
): SVGElement {
  const ends = { x1: x(lower), x2: x(upper), y1: y, y2: y };
  return draw('line', { ...ends, stroke, 'stroke-width': width, 'stroke-linecap': 'round' });
}

/** A line through the row with a diamond above it, so that it hides neither estimate. */
function truthMark(x: number, y: number, above: number, colour: string): SVGElement {
  const d = `M${x} ${y - above}l4.5 5.5l-4.5 5.5l-4.5 -5.5z`;
  return draw(
    'g',
    {},
    draw('line', { x1: x, x2: x, y1: y - 9, y2: y + 10, stroke: colour, 'stroke-width': 1.5 }),
    draw('path', { d, fill: colour }),
  );
}

/** One scale for every value, between two places in px. */
function scaleOf(rows: readonly GapRow[], from: number, to: number) {
  const marks = rows
    .flatMap(({ uncorrected, debiased }) => [uncorrected, debiased])
    .filter((mark) => mark !== undefined);
  const widths = marks.map(({ lower, upper }) => upper - lower).sort((a, b) => a - b);
  const usual = widths[Math.floor((widths.length - 1) / 2)] ?? 0;
  const values = [
    ...marks.map(({ value }) => value),
    // An interval that says next to nothing would leave no room for the others.
    ...marks
      .filter(({ lower, upper }) => upper - lower <= FAR_WIDER * usual)
      .flatMap(({ lower, upper }) => [lower, upper]),
    ...rows.map(({ truth }) => truth).filter(isKnown),
  ];
  const scale = linearScale(values, to - from > 340 ? 5 : 3);
  const x = (value: number) =>
    from + 8 + (Math.min(100, Math.max(0, placeOn(scale, value))) / 100) * (to - from - 16);
  return { ...scale, x };
}

function shortened(model: string, room: number): string {
  return middleCut(model, Math.max(6, Math.floor(room / 7.6)));
}

function described({ model, uncorrected, debiased, truth }: GapRow, estimator: string): string {
  const parts = [
    uncorrected === undefined ? '' : `${UNCORRECTED} ${decimal(uncorrected.value, 3)}`,
    debiased === undefined ? '' : `${estimator} ${decimal(debiased.value, 3)}`,
    truth === undefined ? '' : `true ${decimal(truth, 3)}`,
  ];
  return `${model}: ${parts.filter((part) => part !== '').join(', ')}`;
}
