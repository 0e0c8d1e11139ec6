import {
  AGGREGATIONS,
  type Aggregation,
  type EstimatorName,
  UNCORRECTED,
} from '../../estimators/names.js';
import { decimal } from '../../rows/figures.js';
import { AGGREGATION_WORDS, listed, metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import {
  bestModels,
  type Flip,
  flipsFromUncorrected,
  type Measure,
  tauWithUncorrected,
} from './rankings.js';
import { folded, table } from './table.js';

/** Which model is best under each estimator, and which pairs change places. */
export function rankingSection(window: WindowSnapshot): Markup | null {
  if (window.models.length < 2) return null;
  const estimators = [...new Set(window.results.map(({ estimator }) => estimator))];
  return html`<section aria-labelledby="ranking">
<h2 id="ranking">Which model is best</h2>
<p class="lead"><span class="changed">Highlighted</span>: differs from the uncorrected winner. τ is Kendall’s rank correlation between the estimator’s order of all models and ${UNCORRECTED}’s; 1 is the same order.</p>
${folded(
  'By metric and estimator',
  html`${AGGREGATIONS.map((aggregation) => bestTable(window, aggregation, estimators))}`,
)}
<h3>Rankings that flip</h3>
${flipTables(window, estimators)}</section>
`;
}

function measuresOf({ results }: WindowSnapshot, aggregation: Aggregation): Measure[] {
  const found = new Map<string, Measure>();
  for (const { metric, k } of results) found.set(`${metric} ${k}`, { metric, k, aggregation });
  return [...found.values()];
}

function bestTable(
  window: WindowSnapshot,
  aggregation: Aggregation,
  estimators: readonly EstimatorName[],
): Markup {
  const rows = measuresOf(window, aggregation).map((measure) => ({
    heading: metricName(measure),
    cells: estimators.map((estimator) => bestCell(window, measure, estimator)),
  }));
  const caption = `Best model, ${AGGREGATION_WORDS[aggregation]}`;
  return table(caption, ['metric', ...estimators], rows, 'wide');
}

function bestCell(window: WindowSnapshot, measure: Measure, estimator: EstimatorName): Piece {
  const best = bestModels(window.results, measure, estimator);
  // Of a single model nothing is best.
  if (best.length === 0) return '–';
  const naive = bestModels(window.results, measure, UNCORRECTED);
  const names = html`${listed(best.map(named), ' = ')}`;
  const isChanged = naive.length > 0 && !best.some((model) => naive.includes(model));
  const tau = tauWithUncorrected(window.agreements, measure, estimator);
  return html`${isChanged ? html`<span class="changed">${names}</span>` : names}${
    tau === undefined ? null : html` <small>τ ${decimal(tau, 2)}</small>`
  }`;
}

function flipTables(window: WindowSnapshot, estimators: readonly EstimatorName[]): Markup {
  const { agreements, differences } = window;
  if (!agreements.some((agreement) => agreement.estimators.includes(UNCORRECTED))) {
    return html`<p>${UNCORRECTED} is not among the estimators, so there is no order to compare the others with.</p>
`;
  }
  const tables = AGGREGATIONS.flatMap((aggregation) => {
    const flips = measuresOf(window, aggregation).flatMap((measure) =>
      flipsFromUncorrected(agreements, differences, measure),
    );
    return flips.length === 0 ? [] : [flipTable(flips, aggregation, estimators)];
  });
  if (tables.length === 0) {
    return html`<p>None: every estimator puts the models in the order that ${UNCORRECTED} does.</p>
`;
  }
  return html`<p class="lead">Metrics under which an estimator reverses what ${UNCORRECTED} says. <b>✓ Bold</b>: the difference of the two models is clear of 0 (95 %) under both; only pairs with the reference model have such intervals.</p>
${tables}`;
}

/** One row for each pair, one column for each estimator, in it the metrics that it turns round. */
function flipTable(
  flips: readonly Flip[],
  aggregation: Aggregation,
  estimators: readonly EstimatorName[],
): Markup {
  const columns = estimators.filter((name) => name !== UNCORRECTED);
  const pairs = new Map<string, Flip[]>();
  for (const flip of flips) {
    const key = JSON.stringify([flip.preferred, flip.other]);
    pairs.set(key, [...(pairs.get(key) ?? []), flip]);
  }
  const rows = [...pairs.values()].map((own) => ({
    heading: html`${named(own[0].preferred)} before ${named(own[0].other)}`,
    cells: columns.map((estimator) => turnedRound(own, estimator)),
  }));
  const caption = `Order under ${UNCORRECTED}, and where it is reversed, ${AGGREGATION_WORDS[aggregation]}`;
  return table(caption, [`${UNCORRECTED} puts`, ...columns], rows, 'words');
}

function turnedRound(flips: readonly Flip[], estimator: EstimatorName): Piece {
  const metrics = flips
    .filter((flip) => flip.estimator === estimator)
    .map((flip) => (flip.isClear ? html`<b>✓ ${metricName(flip)}</b>` : metricName(flip)));
  return metrics.length === 0 ? '–' : html`${listed(metrics, ', ')}`;
}
