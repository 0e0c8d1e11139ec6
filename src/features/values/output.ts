import { rowFromV1, type V1Row } from '../../outputs/json/v1-row.js';
import { between, decimal, isKnown, percent, signed, whole } from '../../rows/figures.js';
import { say } from '../../rows/findings/sentence.js';
import type { ShownDifference, ShownRow } from '../../rows/row.js';
import {
  type Block,
  type Cell,
  type Column,
  intervals,
  names,
  numbers,
  type Section,
  type Table,
  texts,
} from '../../rows/table.js';
import type { FeatureOutput } from '../output.js';
import { leadingValues } from './leading-values.js';
import { v1Value, v1ValueDifference } from './v1.js';
import type {} from './window-values.js';

/** Rows, differences and sections for reward per request. */
export const VALUES_OUTPUT = {
  name: 'values',
  rows: (values) => values,
  section: (values, _, { valueDifferences = [] } = {}) => valuesSection(values, valueDifferences),
  leading: {
    as: 'values',
    heading: 'Reward per request',
    rows: leadingValues,
  },
  toV1: (values) => values.map(v1Value),
  fromV1: (values: readonly V1Row[]) => values.map((row) => rowFromV1(row, 'values')),
  evaluated: 'results',
} satisfies FeatureOutput<'values'>;

export const VALUE_DIFFERENCES_OUTPUT = {
  name: 'valueDifferences',
  differences: (differences) => differences,
  toV1: (differences) => differences.map(v1ValueDifference),
  fromV1: (sent: readonly (V1Row & { readonly reference: string })[]) =>
    sent.map((row) => rowFromV1(row, 'values')),
  evaluated: 'differences',
} satisfies FeatureOutput<'valueDifferences'>;

export const SAMPLE_RATIO_OUTPUT: FeatureOutput<'sampleRatio'> = { name: 'sampleRatio' };

const TITLE = 'Reward per request';

/** Status of a value in one or two words; findings give the reasons. */
function standing({ status, reasons }: ShownRow): string {
  const has = (own: string) => reasons.some(({ consequence }) => consequence === own);
  if (status === 'refused') return 'not given';
  if (status === 'bound') return 'lower bound';
  if (has('undecided')) return 'too few rewards';
  return has('caution') ? 'with care' : 'yes';
}

/** Reward per request and its lift over the control; null if no model is valued. */
export function valuesSection(
  rows: readonly ShownRow[],
  differences: readonly ShownDifference[],
): Section | null {
  if (rows.length === 0) return null;
  // Withheld differences are reported as findings.
  const given = differences.filter(({ value }) => isKnown(value));
  const [control] = given;
  return {
    name: 'values',
    title: TITLE,
    lead: say`Reward per request if the model’s list were served. It also covers shadow models (never served), as far as served lists overlap with theirs. Read ${{ strong: 'arms_snips' }} first; ${{ strong: 'on_policy' }} uses only requests that were served the model’s own list.`,
    blocks: [
      { tables: [valueTable(rows)] },
      ...(control === undefined ? [] : [differenceBlock(control, given)]),
    ],
  };
}

function differenceBlock(
  { reference, referenceEstimator }: ShownDifference,
  differences: readonly ShownDifference[],
): Block {
  const title = say`Difference from ${{ name: reference }} (${referenceEstimator!})`;
  return {
    title,
    lead: [
      'Differences are over the same requests. “Proved” is valid for one look at this window, not if you look at window after window until one shows it.',
    ],
    tables: [
      {
        name: 'value-differences',
        title,
        columns: [
          ...names('model'),
          ...texts('form'),
          ...numbers(say`more than ${{ name: reference }}`),
          ...intervals('95 % interval'),
          ...texts('proved'),
        ],
        lines: differences.map((row) => [
          { name: row.model },
          row.estimator,
          signed(row.value, 4),
          openInterval(row),
          proved(row),
        ]),
      },
    ],
  };
}

/**
 * Table of reward per request, with one line per model and estimator. The compared estimator also
 * has the difference from the control.
 */
export function valueTable(
  rows: readonly ShownRow[],
  differences: readonly ShownDifference[] = [],
): Table {
  const [control] = differences;
  const columns: Column[] = [
    ...names('model'),
    ...texts('form'),
    ...numbers('reward', '±'),
    ...intervals('95 % interval'),
    ...numbers('overlap', 'requests'),
    ...texts('usable'),
  ];
  if (control !== undefined) {
    columns.push(
      {
        title: say`lift over ${{ name: control.reference }}`,
        kind: 'number',
      },
      {
        title: 'proved',
        kind: 'text',
      },
    );
  }
  return {
    name: 'values',
    title: TITLE,
    columns,
    lines: rows.map((row): Cell[] => {
      const { model, estimator, value, stdErr, lower, upper, counts, more = {}, status } = row;
      const own = differences.find((each) => each.model === model && each.estimator === estimator);
      const isBound = status === 'bound';
      const given = decimal(value, 4);
      return [
        { name: model },
        estimator,
        isBound && isKnown(value) ? `≥ ${given}` : given,
        decimal(stdErr, 4),
        // A lower bound has no upper limit.
        isBound && isKnown(lower) ? `from ${decimal(lower, 4)}` : between(lower, upper),
        percent(more['coverage']),
        whole(counts['requests']),
        standing(row),
        ...(control === undefined ? [] : [howMuchMore(own), proved(own)]),
      ];
    }),
  };
}

/** A difference with its interval, which may be unbounded on one side. */
function howMuchMore(row: ShownDifference | undefined): Cell {
  if (!isKnown(row?.value)) return '–';
  return {
    words: signed(row.value, 4),
    notes: [openInterval(row)],
  };
}

function openInterval({ lower, upper }: ShownDifference): string {
  const to = isKnown(upper) ? signed(upper, 4) : undefined;
  if (!isKnown(lower)) return to === undefined ? '–' : `up to ${to}`;
  return to === undefined ? `from ${signed(lower, 4)}` : `${signed(lower, 4)} to ${to}`;
}

function proved({ more = {} }: Pick<ShownDifference, 'more'> = {}): string {
  return (
    {
      '1': 'better',
      '-1': 'worse',
    }[String(more['proved'])] ?? '–'
  );
}
