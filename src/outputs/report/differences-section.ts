import type { BaselineDifference } from '../../estimators/diagnostics/against-baseline.js';
import type { EstimateDifference } from '../../estimators/results/estimate.js';
import { signed } from '../../rows/figures.js';
import type { Row } from '../../rows/row.js';
import { AGGREGATION_WORDS, metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { table } from './table.js';

/** A value that stands in a grid of metrics by estimators. */
type GridRow = Omit<BaselineDifference, 'difference'>;

/** Each model less the reference model, paired, and less the built-in one. */
export function differencesSection(
  { baseline }: Snapshot,
  { differences, againstBaseline }: WindowSnapshot,
): Markup | null {
  if (differences.length === 0 && againstBaseline.length === 0) return null;
  return html`<section aria-labelledby="differences">
<h2 id="differences">Differences between models</h2>
${differences.length === 0 ? null : toReference(differences)}${
  againstBaseline.length === 0 || baseline === null
    ? null
    : html`<h3>Better than recommending what is popular?</h3>
<p class="lead">Each model minus the built-in model ${named(baseline)}, which ranks all items by their popularity. ▲ better, ▼ worse; without an interval. Without a cut-off it has an advantage over shorter lists, because an item outside a list gains nothing.</p>
${grids(againstBaseline, `minus ${baseline}`, ({ difference }) => html`${arrow(difference)} ${signed(difference, 4)}`, 'columns')}`
}</section>
`;
}

function toReference(differences: readonly EstimateDifference[]): Markup {
  const { reference } = differences[0];
  return html`<p class="lead">Each model minus ${named(reference)}, over the same users. ▲ better and ▼ worse if the 95 % interval is clear of 0; ○ if it is not.</p>
${grids(differences.map(gridRow), `minus ${reference}`, differenceCell, 'stack')}`;
}

function gridRow({ form, ...row }: EstimateDifference) {
  return { ...row, aggregation: form };
}

function differenceCell({ value, lower, upper }: Pick<Row, 'value' | 'lower' | 'upper'>): Markup {
  const isClear = lower > 0 || upper < 0;
  const words = `${signed(lower, 4)} to ${signed(upper, 4)}`;
  return html`${isClear ? arrow(value) : '○'} ${signed(value, 4)} <small>${words}</small>`;
}

function arrow(value: number): Markup {
  // What is written as 0.0000 has no direction.
  if (Math.abs(value) < 0.000_05) return html`○`;
  return value > 0 ? html`<span class="up">▲</span>` : html`<span class="down">▼</span>`;
}

/** For every model and aggregation a table of metrics by estimators. */
function grids<T extends GridRow>(
  rows: readonly T[],
  against: string,
  cellOf: (row: T) => Piece,
  layout: 'columns' | 'stack',
): Markup {
  const estimators = [...new Set(rows.map(({ estimator }) => estimator))];
  const models = [...new Set(rows.map(({ model }) => model))];
  const one = (model: string, aggregation: T['aggregation']) => {
    const own = rows.filter((row) => row.model === model && row.aggregation === aggregation);
    const lines = [...new Set(own.map(metricName))].map((metric) => ({
      heading: metric,
      cells: estimators.map((estimator) => {
        const row = own.find(
          (other) => metricName(other) === metric && other.estimator === estimator,
        );
        return row === undefined ? '–' : cellOf(row);
      }),
    }));
    const caption = `${model} ${against}, ${AGGREGATION_WORDS[aggregation]}`;
    return table(caption, ['metric', ...estimators], lines, 'wide');
  };
  return html`<div class="${layout}">${models.flatMap((model) => [
    one(model, 'user'),
    one(model, 'pooled'),
  ])}</div>
`;
}
