import { metricOf } from '../../estimators/metrics/registry.js';
import {
  AGGREGATIONS,
  type Aggregation,
  type EstimatorName,
  RANDOMISED,
  UNCORRECTED,
  UNWEIGHTED,
} from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { PROMISES } from '../../estimators/uncertainty/guarantees.js';
import { decimal, whole } from '../../rows/figures.js';
import { isTooFew } from '../../rows/findings/sample.js';
import { linearScale } from '../../rows/scale.js';
import { AGGREGATION_WORDS, listed, metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { dotAndWhisker, MARKS, type Whisker, type WhiskerGroup } from './dot-and-whisker.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { folded, table } from './table.js';

/** Estimates with intervals by model and estimator, drawn and in a table. */
export function estimatesSection(snapshot: Snapshot, { results }: WindowSnapshot): Markup | null {
  return section(snapshot, results, { id: 'estimates', heading: 'Estimates', lead: null });
}

/** The same of what users found by themselves; null where that is not known, or nothing. */
export function uncausedSection(snapshot: Snapshot, { feedback }: WindowSnapshot): Markup | null {
  const uncaused = feedback?.uncaused ?? null;
  if (uncaused === null) return null;
  const { rows, users, results } = uncaused;
  const lead = html`Estimated from the ${whole(rows)} positive pairs of ${whole(users)} users that no shown list caused. `;
  return section(snapshot, results, {
    ...{ id: 'uncaused', heading: 'What users found by themselves', lead },
  });
}

interface SectionWords {
  readonly id: string;
  readonly heading: string;
  readonly lead: Markup | null;
}

function section(
  { baseline }: Snapshot,
  results: readonly EstimateRow[],
  { id, heading, lead }: SectionWords,
): Markup | null {
  if (results.length === 0) return null;
  const metrics = [...new Set(results.map(metricName))];
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<p class="lead">${lead}Dots are estimates, lines their 95 % intervals.
${MARK_WORDS.filter(([mark]) => results.some(({ estimator }) => markOf(estimator) === mark)).map(
  ([mark, words]) => html`<span class="key ${mark}">${key(mark)} ${words}</span> `,
)}
The dashed line is the model’s ${UNCORRECTED} value.
Among the numbers, “γ” is the share of a fitted γ in the error, which the interval allows for, and “one draw” what drawing a single test set would add.</p>
${metrics.map((metric) => metricCharts(metric, results, baseline))}
${promises(results)}</section>
`;
}

const MARK_WORDS = [
  ['uncorrected', 'uncorrected'],
  ['debiased', 'corrected for popularity'],
  ['randomized', 'from randomised traffic'],
] as const;

function key(mark: Whisker['mark']): Markup {
  return html`<svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">${MARKS[mark]}</svg>`;
}

function metricCharts(
  metric: string,
  results: readonly EstimateRow[],
  baseline: string | null,
): Markup {
  const own = results.filter((row) => metricName(row) === metric);
  const scale = linearScale(own.flatMap(({ value, lower, upper }) => [value, lower, upper]));
  const panels = AGGREGATIONS.map((aggregation) =>
    dotAndWhisker(AGGREGATION_WORDS[aggregation], groups(own, aggregation, baseline), scale),
  );
  return html`<h3>${metric} <small>${metricOf(own[0].metric).inWords}</small></h3>
<div class="columns">${panels}</div>
${estimateTable(metric, own)}`;
}

function groups(
  results: readonly EstimateRow[],
  aggregation: Aggregation,
  baseline: string | null,
): WhiskerGroup[] {
  const own = results.filter((row) => row.form === aggregation);
  return [...new Set(own.map(({ model }) => model))].map((model) => ({
    heading: html`${named(model)}${model === baseline ? html` <small>built in</small>` : null}`,
    whiskers: own.filter((row) => row.model === model).map(toWhisker),
  }));
}

function markOf(estimator: EstimatorName): Whisker['mark'] {
  if (estimator === RANDOMISED) return 'randomized';
  return UNWEIGHTED.includes(estimator) ? 'uncorrected' : 'debiased';
}

function toWhisker({ estimator, value, lower, upper, ess }: EstimateRow): Whisker {
  const mark = markOf(estimator);
  const title = `${estimator} ${decimal(value, 4)}, 95 % from ${decimal(lower, 4)} to ${decimal(upper, 4)}, effective sample size ${whole(ess)}`;
  return { label: estimator, value, lower, upper, mark, title };
}

/** Every model and estimator with both aggregations beside each other. */
function estimateTable(metric: string, results: readonly EstimateRow[]): Markup {
  const models = [...new Set(results.map(({ model }) => model))];
  const estimators = [...new Set(results.map(({ estimator }) => estimator))];
  const rows = models.flatMap((model) =>
    estimators.map((estimator) => ({
      heading: html`${named(model)} <small>${estimator}</small>`,
      cells: AGGREGATIONS.flatMap((aggregation) => {
        const row = results.find(
          (own) => own.model === model && own.estimator === estimator && own.form === aggregation,
        );
        return row === undefined ? ['–', '–', '–', '–'] : numbers(row);
      }),
    })),
  );
  const head = AGGREGATIONS.flatMap((aggregation) => [
    AGGREGATION_WORDS[aggregation],
    'std. error',
    '95 % interval',
    'eff. users',
  ]);
  const every = table(`${metric}, every estimate`, ['model', ...head], rows);
  return folded(`${metric} in numbers`, every);
}

/** Of γ, which is in the interval, and of drawing a test set, which is not. */
function furtherErrors({ more: { gammaStdErr, samplingStdErr } }: EstimateRow): Markup {
  const ofGamma = gammaStdErr > 0 ? html`<small>γ ${decimal(gammaStdErr, 4)}</small>` : null;
  return html`${ofGamma}${
    samplingStdErr === undefined
      ? null
      : html`<small>one draw ${decimal(samplingStdErr, 4)}</small>`
  }`;
}

function numbers(row: EstimateRow): Piece[] {
  const bounds = row.guarantees.map(
    (bound) => html`<small>${bound.name}: ${interval(bound)}</small>`,
  );
  return [
    html`<b>${decimal(row.value, 4)}</b>`,
    html`${decimal(row.stdErr, 4)}${furtherErrors(row)}`,
    html`${interval(row)}${bounds}`,
    isTooFew(row.ess) ? html`<span class="low">${decimal(row.ess, 1)} low</span>` : whole(row.ess),
  ];
}

function interval({ lower, upper }: { lower: number; upper: number }): string {
  return `${decimal(lower, 4)} to ${decimal(upper, 4)}`;
}

function promises(results: readonly EstimateRow[]): Markup | null {
  const names = [...new Set(results.flatMap((row) => row.guarantees.map(({ name }) => name)))];
  if (names.length === 0) return null;
  const each = names.map((name) => html`<li><b>${name}</b> ${PROMISES[name]}</li>`);
  return html`<p class="lead">What ${listed(names)} promise:</p><ul>${each}</ul>
`;
}
