import type { BaselineDifference } from '../../estimators/diagnostics/against-baseline.js';
import { type Metric, metricOf } from '../../estimators/metrics/registry.js';
import { UNCORRECTED } from '../../estimators/names.js';
import type { MeasureSensitivity } from '../../estimators/results/sensitivity.js';
import { type GuaranteeName, PROMISES } from '../../estimators/uncertainty/guarantees.js';
import { decimal, isKnown, signed } from '../../rows/figures.js';
import { say } from '../../rows/findings/sentence.js';
import type { ShownDifference, ShownRow } from '../../rows/row.js';
import {
  type Block,
  type Cell,
  intervals,
  numbers,
  type Section,
  type Table,
  texts,
} from '../../rows/table.js';
import { formWords, metricName } from '../../rows/words.js';
import { estimateTable, sensitivityTable } from './number-tables.js';

/** Build the section of estimates with intervals, one block per metric; null without estimates. */
export function estimatesSection(
  rows: readonly ShownRow[],
  baseline: string | null,
  words: Pick<Section, 'name' | 'title' | 'lead'>,
): Section | null {
  if (rows.length === 0) return null;
  const promises = [
    ...new Set(rows.flatMap(({ guarantees = [] }) => guarantees.map(({ name }) => name))),
  ] as GuaranteeName[];
  return {
    ...words,
    blocks: [
      ...[...new Set(rows.map(metricName))].map((metric): Block => {
        const own = rows.filter((row) => metricName(row) === metric);
        return {
          title: [`${metric}: ${metricOf(own[0].metric as Metric).inWords}`],
          chart: {
            kind: 'intervals',
            rows: own,
            baseline,
          },
          tables: [estimateTable(metric, own)],
          folded: `${metric} in numbers`,
        };
      }),
      ...promises.map((name) => ({
        lead: say`${{ strong: name }} guarantees: ${PROMISES[name]}.`,
        tables: [],
      })),
    ],
  };
}

/**
 * Build the section of differences to the reference model and to the built-in baseline; null
 * without either.
 */
export function differencesSection(
  differences: readonly ShownDifference[],
  againstBaseline: readonly BaselineDifference[],
  baseline: string | null,
): Section | null {
  const given = differences.filter(({ status }) => status !== 'withheld');
  const isAgainst = baseline !== null && againstBaseline.length > 0;
  if (given.length === 0 && !isAgainst) return null;
  return {
    name: 'differences',
    title: 'Differences between models',
    lead: [],
    blocks: [
      ...(given.length === 0 ? [] : [pairedBlock(given)]),
      ...(isAgainst ? againstBlocks(againstBaseline, baseline) : []),
    ],
  };
}

function pairedBlock(rows: readonly ShownDifference[]): Block {
  return {
    lead: say`Each model minus ${{ name: rows[0].reference }}, over the same users. ▲ better or ▼ worse: the 95 % interval excludes 0. ○: it contains 0.`,
    tables: byModel(rows).map(([model, own]) => differenceTable(model, own)),
    isAside: true,
  };
}

function byModel<Row extends { readonly model: string }>(rows: readonly Row[]): [string, Row[]][] {
  const models = [...new Set(rows.map(({ model }) => model))];
  return models.map((model) => [model, rows.filter((row) => row.model === model)]);
}

function differenceTable(model: string, rows: readonly ShownDifference[]): Table {
  return {
    name: 'differences',
    title: say`${{ name: model }} minus ${{ name: rows[0].reference }}`,
    columns: [
      ...texts('metric', 'mean', 'estimator'),
      ...numbers('difference', '±'),
      ...intervals('95 % interval'),
    ],
    lines: rows.map((row) => [
      metricName(row),
      formWords(row.form),
      row.estimator,
      direction(row.value, (row.lower ?? 0) > 0 || (row.upper ?? 0) < 0),
      decimal(row.stdErr, 4),
      isKnown(row.lower) ? `${signed(row.lower, 4)} to ${signed(row.upper, 4)}` : '–',
    ]),
    pivot: [1, 2],
  };
}

/**
 * Format a difference: with an arrow if it is clear, and with a circle if it is not. A value that
 * rounds to 0.0000 is not clear.
 */
function direction(value: number | null, isClear: boolean): Cell {
  const words = signed(value, 4);
  if (!isKnown(value)) return words;
  if (!isClear || Math.abs(value) < 0.000_05) return `○ ${words}`;
  return value > 0
    ? {
        words: `▲ ${words}`,
        mark: 'better',
      }
    : {
        words: `▼ ${words}`,
        mark: 'worse',
      };
}

function againstBlocks(rows: readonly BaselineDifference[], baseline: string): Block[] {
  const counts = byModel(rows).map(([model, own]) => {
    const estimators = [...new Set(own.map(({ estimator }) => estimator))].map((name) => {
      const all = own.filter(({ estimator }) => estimator === name);
      return `${name} ${all.filter(({ difference }) => difference > 0).length}/${all.length}`;
    });
    return say`Number of measures in which ${{ name: model }} beats popularity, by estimator: ${estimators.join(', ')}. `;
  });
  const words: Block = {
    title: ['Better than recommending popular items?'],
    lead: say`Each model minus the built-in model ${{ name: baseline }}, which ranks all items by their popularity. ▲ better, ▼ worse; these differences have no interval. Metrics without a cut-off favour this baseline over models with shorter lists, because an item outside a list scores nothing. ${counts.flat()}`,
    tables: [],
  };
  const tables = byModel(rows).map(
    ([model, own]): Table => ({
      name: 'against-baseline',
      title: say`${{ name: model }} minus ${{ name: baseline }}`,
      columns: [...texts('metric', 'mean', 'estimator'), ...numbers('difference')],
      lines: own.map((row) => [
        metricName(row),
        formWords(row.aggregation),
        row.estimator,
        direction(row.difference, true),
      ]),
      pivot: [1, 2],
    }),
  );
  return [
    words,
    {
      tables,
      isAside: true,
    },
  ];
}

/** Build the section on how the estimates change with γ; null if none depends on γ. */
export function sensitivitySection(sensitivity: readonly MeasureSensitivity[]): Section | null {
  if (sensitivity.length === 0) return null;
  return {
    name: 'sensitivity',
    title: 'Estimates at other values of γ',
    lead: [
      `Snips over all events. γ = −1 gives the uncorrected value (${UNCORRECTED}); γ = 1 assumes that all items are equally relevant.`,
    ],
    blocks: [
      {
        tables: sensitivity.map((own) =>
          sensitivityTable(`${metricName(own)} over γ from −1 to 1`, own),
        ),
        folded: 'For each metric, γ from −1 to 1',
        isAside: true,
      },
    ],
  };
}
