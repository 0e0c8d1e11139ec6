import { AGGREGATIONS, type Aggregation, type EstimatorName } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { decimal } from '../../rows/figures.js';
import { AGGREGATION_WORDS, metricName } from '../../rows/words.js';
import { centred, LINE_WIDTH } from './terminal.js';

const VALUE_WIDTH = 8;
const LEAST_TITLE_WIDTH = 11;
/** Estimators that fit into a line twice, for both aggregations. */
const ESTIMATORS_ABREAST = 5;

/** Some estimators under one aggregation: a column each. */
interface Columns {
  readonly aggregation: Aggregation;
  readonly estimators: readonly EstimatorName[];
}

/**
 * A model's estimates with their errors, a line for each metric, at most 100 columns wide: both
 * aggregations side by side while they fit, else one below the other. Estimators and metrics
 * without a value are left out of a table.
 */
export function estimateTable(
  own: readonly EstimateRow[],
  estimators: readonly EstimatorName[],
): string[] {
  const width = Math.max(LEAST_TITLE_WIDTH, ...own.map((row) => metricName(row).length + 1));
  if (estimators.length <= ESTIMATORS_ABREAST) {
    const halves = AGGREGATIONS.map((aggregation) => ({ aggregation, estimators }));
    return block(own, halves, width);
  }
  const aBlock = Math.floor((LINE_WIDTH - width) / VALUE_WIDTH);
  return AGGREGATIONS.flatMap((aggregation) => {
    const given = estimators.filter((name) =>
      own.some((row) => row.estimator === name && row.form === aggregation),
    );
    const lines: string[] = [];
    for (let from = 0; from < given.length; from += aBlock) {
      const some = given.slice(from, from + aBlock);
      lines.push(...block(own, [{ aggregation, estimators: some }], width));
    }
    return lines;
  });
}

function block(own: readonly EstimateRow[], halves: readonly Columns[], width: number): string[] {
  const shown = own.filter((row) =>
    halves.some(
      ({ aggregation, estimators }) =>
        row.form === aggregation && estimators.includes(row.estimator),
    ),
  );
  const head = (cells: (half: Columns) => string) =>
    `${' '.repeat(width)}${halves.map(cells).join('  ')}`.trimEnd();
  const lines = [
    head(({ aggregation, estimators }) =>
      centred(AGGREGATION_WORDS[aggregation], estimators.length * VALUE_WIDTH),
    ),
    head(({ estimators }) => estimators.map((name) => name.padStart(VALUE_WIDTH)).join('')),
  ];
  for (const metric of new Set(shown.map(metricName))) {
    const rows = shown.filter((row) => metricName(row) === metric);
    lines.push(valueLine(metric.padEnd(width), rows, halves, (row) => decimal(row.value, 4)));
    lines.push(valueLine('  ±'.padEnd(width), rows, halves, (row) => decimal(row.stdErr, 4)));
  }
  return lines;
}

function valueLine(
  title: string,
  rows: readonly EstimateRow[],
  halves: readonly Columns[],
  read: (row: EstimateRow) => string,
): string {
  const cells = halves.map(({ aggregation, estimators }) =>
    estimators
      .map((name) => rows.find((row) => row.estimator === name && row.form === aggregation))
      .map((row) => (row === undefined ? '–' : read(row)).padStart(VALUE_WIDTH))
      .join(''),
  );
  return `${title}${cells.join('  ')}`;
}
