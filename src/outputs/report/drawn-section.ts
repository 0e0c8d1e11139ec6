import { AGGREGATIONS, type Aggregation, type EstimatorName } from '../../estimators/names.js';
import type { DrawnEstimate } from '../../estimators/results/drawn-estimate.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { decimal } from '../../rows/figures.js';
import { AGGREGATION_WORDS, metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { table } from './table.js';

/** What the interventions gave on sets that were drawn, where sets were asked for. */
export function drawnSection(window: WindowSnapshot): Markup | null {
  const { drawn } = window;
  if (drawn.length === 0) return null;
  const draws = Math.max(...drawn.map((row) => row.draws));
  const estimators = [...new Set(drawn.map(({ estimator }) => estimator))];
  return html`<section aria-labelledby="drawn">
<h2 id="drawn">Drawn test sets</h2>
<p class="lead">The mean of ${draws} sets and the deviation from set to set; below them the expected value, which needs no drawing.</p>
${AGGREGATIONS.map((aggregation) => drawnTable(window, aggregation, estimators))}</section>
`;
}

function drawnTable(
  { drawn, results }: WindowSnapshot,
  aggregation: Aggregation,
  estimators: readonly EstimatorName[],
): Markup | null {
  const own = drawn.filter((row) => row.form === aggregation);
  if (own.length === 0) return null;
  const expected = new Map(
    results.filter((row) => row.form === aggregation).map((row) => [keyOf(row), row.value]),
  );
  const rows = own.filter(({ estimator }) => estimator === own[0].estimator);
  const cell = (key: string): Piece => {
    const found = own.find((row) => keyOf(row) === key);
    if (found === undefined) return '–';
    return html`${decimal(found.mean, 4)} ± ${decimal(found.stdDev, 4)}<small>${decimal(expected.get(key)!, 4)} expected</small>`;
  };
  return table(
    `Drawn test sets, ${AGGREGATION_WORDS[aggregation]}`,
    ['model', ...estimators],
    rows.map((row) => ({
      heading: html`${named(row.model)} <small>${metricName(row)}</small>`,
      cells: estimators.map((estimator) => cell(keyOf({ ...row, estimator }))),
    })),
  );
}

function keyOf({ model, metric, k, estimator }: DrawnEstimate | EstimateRow): string {
  return JSON.stringify([model, metric, k, estimator]);
}
