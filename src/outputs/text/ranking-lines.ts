import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { LEADING, RANDOMISED, UNCORRECTED, UNWEIGHTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { between, decimal, signedPercent } from '../../rows/figures.js';
import { comparedModels } from '../../rows/findings/rankings.js';
import { leadingMeasure } from '../../rows/findings/window-trust.js';
import { isGiven } from '../../rows/reading.js';
import { intervals, names, numbers, type Table } from '../../rows/table.js';
import { formWords, metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { Paint } from './paint.js';
import { tableLines } from './section-lines.js';

/** Maximum number of models in the ranking; `--all` and the JSON have more. */
const MOST_MODELS = 20;

/**
 * Format the ranking of the models on the measure of the verdicts: corrected value with its
 * interval, uncorrected value, and the fraction of the uncorrected value that is due to popularity.
 * The corrected value is by snips, or else by the first estimator that corrects. Values that are
 * not reported come last, without a rank.
 *
 * @returns no lines if no estimate is reported
 */
export function rankingLines(
  { verdicts = [] }: Pick<Snapshot, 'verdicts'>,
  window: WindowSnapshot,
  paint: Paint,
): string[] {
  const measure = leadingMeasure(window, verdicts);
  const isUncaused = window.leads === 'uncaused';
  const results = isUncaused ? (window.feedback?.uncaused?.results ?? []) : window.results;
  const rows = rankedRows(results, measure);
  const placed = rows.filter(({ value }) => Number.isFinite(value));
  const [first] = placed;
  if (first === undefined) return [];
  const naive = uncorrectedRows(results, first);
  const isCorrected = ![...UNWEIGHTED, RANDOMISED].includes(first.estimator);
  const shares = comparedModels(
    [...rows, ...naive],
    window.models.map(({ model }) => model),
    first.estimator,
  );
  const rest = rows.filter(({ value }) => !Number.isFinite(value));
  const ordered = [...placed.sort((a, b) => b.value - a.value), ...rest];
  const shown = ordered.slice(0, MOST_MODELS);
  const more = ordered.length - shown.length;
  const hasUncorrected = isCorrected && naive.length > 0;
  const table: Table = {
    name: 'ranking',
    title: title(first, isCorrected, isUncaused),
    columns: [
      ...names(''),
      ...numbers(isCorrected ? 'corrected' : 'value'),
      ...intervals('95 % interval'),
      ...numbers(...(hasUncorrected ? ['uncorrected', 'correction'] : [])),
    ],
    lines: shown.map((row, at) => {
      const place = at < placed.length ? `${at + 1}.`.padStart(2) : '  ';
      const own = naive.find(({ model }) => model === row.model);
      const share = shares.find(({ model }) => model === row.model)?.share;
      const beside = [decimal(own?.value, 4), signedPercent(share && -share)];
      return [
        [`${place} `, { name: row.model }],
        isGiven(row) ? decimal(row.value, 4) : 'withheld',
        between(row.lower, row.upper),
        ...(hasUncorrected ? beside : []),
      ];
    }),
  };
  return [
    paint('heading', table.title as string),
    ...tableLines(table),
    ...(more > 0 ? [`    … and ${more} more models`] : []),
  ];
}

/** Select the rows of one estimator, pooled over events, or else averaged over users. */
function rankedRows(results: readonly EstimateRow[], measure: Measure | null): EstimateRow[] {
  const own = results.filter(({ metric, k }) => metric === measure?.metric && k === measure.k);
  const names = own.map(({ estimator }) => estimator);
  const estimator = names.includes(LEADING)
    ? LEADING
    : (names.find((name) => !UNWEIGHTED.includes(name)) ?? names[0]);
  const rows = own.filter((row) => row.estimator === estimator);
  const pooled = rows.filter(({ form }) => form === 'pooled');
  return pooled.length > 0 ? pooled : rows;
}

function uncorrectedRows(results: readonly EstimateRow[], like: EstimateRow): EstimateRow[] {
  return results.filter(
    (row) =>
      row.estimator === UNCORRECTED &&
      row.metric === like.metric &&
      row.k === like.k &&
      row.form === like.form,
  );
}

function title(row: EstimateRow, isCorrected: boolean, isUncaused: boolean): string {
  const how =
    row.estimator === RANDOMISED
      ? `of randomised traffic (${row.estimator})`
      : isCorrected
        ? `corrected for popularity by ${row.estimator}`
        : `not corrected (${row.estimator})`;
  const of = isUncaused ? ', on organic interactions' : '';
  return `Ranked by ${metricName(row)}, ${formWords(row.form)}${of}, ${how}`;
}
