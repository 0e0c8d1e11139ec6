import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { LEADING, UNCORRECTED, UNWEIGHTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { decimal, signedPercent } from '../../rows/figures.js';
import { comparedModels } from '../../rows/findings/rankings.js';
import { leadingMeasure } from '../../rows/findings/window-trust.js';
import { isGiven } from '../../rows/reading.js';
import { AGGREGATION_WORDS, metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import type { Paint } from './paint.js';
import { printable } from './terminal.js';

/** So many are ranked; who compares more models reads `--all` or JSON. */
const MOST_MODELS = 20;
const NUMBER_WIDTH = 12;
const INTERVAL_WIDTH = 20;
const NONE = '–';

/**
 * The models in their order by the measure that verdicts are on: the corrected value over all events
 * with its interval, the uncorrected one, and what part of that is popularity. What is withheld comes
 * last, without a place. Of estimators it takes snips, else the first that corrects.
 *
 * @returns nothing where no estimate is given
 */
export function rankingLines(
  { verdicts = [] }: Pick<Snapshot, 'verdicts'>,
  window: WindowSnapshot,
  paint: Paint,
): string[] {
  const measure = rankedMeasure(verdicts, window);
  const isUncaused = window.leads === 'uncaused';
  const results = isUncaused ? (window.feedback?.uncaused?.results ?? []) : window.results;
  const rows = rankedRows(results, measure);
  const placed = rows.filter(({ value }) => Number.isFinite(value));
  const [first] = placed;
  if (first === undefined) return [];
  const naive = uncorrectedRows(results, first);
  const isCorrected = !UNWEIGHTED.includes(first.estimator);
  const shares = comparedModels(
    [...rows, ...naive],
    window.models.map(({ model }) => model),
    first.estimator,
  );
  const rest = rows.filter(({ value }) => !Number.isFinite(value));
  const ordered = [...placed.sort((a, b) => b.value - a.value), ...rest];
  const shown = ordered.slice(0, MOST_MODELS);
  const width = Math.max(...shown.map(({ model }) => printable(model).length)) + 4;
  const more = ordered.length - shown.length;
  return [
    paint('heading', title(first, isCorrected, isUncaused)),
    line(''.padEnd(width), heads(isCorrected, naive.length > 0)),
    ...shown.map((row, at) => {
      const place = at < placed.length ? `${at + 1}.`.padStart(3) : '   ';
      const own = naive.find(({ model }) => model === row.model);
      const share = shares.find(({ model }) => model === row.model)?.share;
      const beside = [given(own?.value), share === undefined ? NONE : signedPercent(-share)];
      const cells = [...corrected(row), ...(isCorrected && naive.length > 0 ? beside : [])];
      return line(`${place} ${printable(row.model)}`.padEnd(width), cells);
    }),
    ...(more > 0 ? [`    … and ${more} more models`] : []),
  ];
}

/** What verdicts are on, if it is an estimate; else what leads where one measure stands for all. */
function rankedMeasure(
  verdicts: NonNullable<Snapshot['verdicts']>,
  window: WindowSnapshot,
): Measure | null {
  const judged = verdicts.find(({ metric, k }) =>
    window.results.some((row) => row.metric === metric && row.k === k),
  );
  if (judged === undefined) return leadingMeasure(window);
  return { metric: judged.metric as Measure['metric'], k: judged.k };
}

/** Of one estimator over all events, or over users where it has no other form. */
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
  const how = isCorrected
    ? `corrected for popularity by ${row.estimator}`
    : `not corrected (${row.estimator})`;
  const of = isUncaused ? ', of what users found by themselves' : '';
  return `Ranked by ${metricName(row)}, ${AGGREGATION_WORDS[row.form]}${of}, ${how}`;
}

function heads(isCorrected: boolean, hasUncorrected: boolean): string[] {
  if (!isCorrected) return ['value', '95 % interval'];
  return ['corrected', '95 % interval', ...(hasUncorrected ? ['uncorrected', 'correction'] : [])];
}

function corrected(row: EstimateRow): string[] {
  const { value, lower, upper } = row;
  if (!isGiven(row)) return ['withheld', NONE];
  return [
    given(value),
    Number.isFinite(value) ? `${decimal(lower, 4)} to ${decimal(upper, 4)}` : NONE,
  ];
}

function given(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? NONE : decimal(value, 4);
}

function line(name: string, cells: readonly string[]): string {
  const padded = cells.map((cell, c) => cell.padStart(c === 1 ? INTERVAL_WIDTH : NUMBER_WIDTH));
  return `${name}${padded.join('')}`;
}
