import { UNCORRECTED } from '../../estimators/names.js';
import type { GammaSensitivity } from '../../estimators/results/sensitivity.js';
import type { Sent } from '../../features/output.js';
import { between, decimal, percent, whole } from '../../rows/figures.js';
import { isTooFew } from '../../rows/findings/sample.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import type { ShownRow } from '../../rows/row.js';
import {
  type Cell,
  intervals,
  names,
  numbers,
  type Table,
  texts,
  type WeightPoint,
} from '../../rows/table.js';
import { formWords } from '../../rows/words.js';

/**
 * Build the table of estimates by model, estimator and aggregation: value, errors, intervals and
 * sample sizes.
 */
export function estimateTable(title: string, rows: readonly ShownRow[]): Table {
  return {
    name: 'estimates',
    title,
    columns: [
      ...names('model'),
      ...texts('mean', 'estimator'),
      ...numbers('value', '±'),
      ...intervals('95 % interval'),
      ...numbers('eff. users'),
    ],
    lines: rows.map((row) => [
      { name: row.model },
      formWords(row.form),
      row.estimator,
      ...numbersOf(row),
    ]),
    pivot: [1, 2],
  };
}

function numbersOf(row: ShownRow): Cell[] {
  const { value, stdErr, lower, upper, ess, status } = row;
  if (status === 'withheld') {
    return [
      {
        words: '–',
        notes: ['not reported'],
      },
      '–',
      '–',
      '–',
    ];
  }
  return [
    decimal(value, 4),
    {
      words: decimal(stdErr, 4),
      notes: furtherErrors(row),
    },
    {
      words: between(lower, upper),
      notes: bounds(row),
    },
    isTooFew(ess)
      ? {
          words: `only ${decimal(ess, 1)}`,
          mark: 'low',
        }
      : whole(ess),
  ];
}

/**
 * Format the further standard errors of a row: the error that is due to γ, and the error of drawing
 * a single test set. The interval of the row includes the first one, not the second.
 */
function furtherErrors({ more: { gammaStdErr = 0, samplingStdErr } = {} }: ShownRow): string[] {
  return [
    ...((gammaStdErr ?? 0) > 0 ? [`γ ${decimal(gammaStdErr, 4)}`] : []),
    ...(samplingStdErr === undefined ? [] : [`one draw ${decimal(samplingStdErr, 4)}`]),
  ];
}

function bounds({ guarantees = [] }: ShownRow): string[] {
  return guarantees.map(({ name, lower, upper }) => `${name}: ${between(lower, upper)}`);
}

/**
 * Build the table of each model's range of values over γ, and of the γ at which pairs of models
 * swap order.
 */
export function sensitivityTable(title: string, { bands, flips }: Sent<GammaSensitivity>): Table {
  return {
    name: 'sensitivity',
    title,
    columns: [
      ...names('model'),
      ...numbers('γ = −1', 'γ = 1'),
      ...intervals('range'),
      ...texts('swaps rank with'),
    ],
    lines: bands.map(({ model, lower, upper, equal, [UNCORRECTED]: uncorrected }) => {
      const own = flips.filter(({ below, above }) => below === model || above === model);
      const places = own.flatMap(
        ({ below, above, gamma }, n): Sentence =>
          say`${n === 0 ? '' : ', '}${{ name: below === model ? above : below }} at γ = ${decimal(gamma, 2)}`,
      );
      return [
        { name: model },
        decimal(uncorrected, 4),
        decimal(equal, 4),
        between(lower, upper),
        places.length === 0 ? '–' : places,
      ];
    }),
  };
}

/** Build the table of weights by size: fraction of events and of total weight. */
export function weightTable(points: readonly WeightPoint[]): Table {
  const all = points.reduce((sum, { rows }) => sum + rows, 0);
  const bar = (share: number): Cell => ({
    words: percent(share, 1),
    share,
  });
  return {
    name: 'weights',
    title: 'Importance weights',
    columns: [...texts('weight / mean'), ...numbers('share of events', 'share of weight')],
    lines: points.map(({ from, rows, weightShare }) => [
      `${power(from)}–${power(2 * from)} ×`,
      bar(rows / all),
      bar(weightShare ?? 0),
    ]),
  };
}

function power(value: number): string {
  return value >= 1 ? String(value) : `1/${Math.round(1 / value)}`;
}
