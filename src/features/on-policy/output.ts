import { SHOWN_LISTS } from '../../estimators/names.js';
import { rowFromV1, type V1Row } from '../../outputs/json/v1-row.js';
import { between, decimal, whole } from '../../rows/figures.js';
import type { ShownRow } from '../../rows/row.js';
import { intervals, names, numbers, type Section, type Table } from '../../rows/table.js';
import type { FeatureOutput, Sent } from '../output.js';
import type { OnPolicyReport } from './report.js';
import { v1OnPolicy } from './v1.js';

/** How the reward of served lists is shown: rows, section and JSON. */
export const ON_POLICY_OUTPUT = {
  name: 'onPolicy',
  rows: ({ values }) => values,
  section: ({ values }) => onPolicySection(values),
  leading: {
    as: 'on_policy',
    heading: 'Reward per served list',
    rows: ({ values }) => values,
  },
  narrowedBy: 'model',
  toV1: (report) => ({
    ...report,
    values: report.values.map(v1OnPolicy),
  }),
  fromV1: (report: SentV1) => ({
    ...report,
    values: report.values.map((row) =>
      rowFromV1(
        {
          ...row,
          ...SHOWN_LISTS,
          k: null,
        },
        'on_policy',
      ),
    ),
  }),
  evaluated: 'feedback',
} satisfies FeatureOutput<'onPolicy'>;

type SentV1 = Omit<Sent<OnPolicyReport>, 'values'> & {
  readonly values: readonly Omit<V1Row, 'metric' | 'k' | 'estimator' | 'aggregation'>[];
};

/** Section on the reward per served list; null if it is unknown or not computed. */
export function onPolicySection(rows: readonly ShownRow[]): Section | null {
  if (rows.length === 0) return null;
  return {
    name: 'on-policy',
    title: 'Reward per served list',
    lead: [
      'Mean reward of the lists that each model served, from the interactions that have the list’s id. It needs no correction for popularity, and says nothing about shadow models (never served).',
    ],
    blocks: [{ tables: [onPolicyTable(rows)] }],
  };
}

export function onPolicyTable(rows: readonly ShownRow[]): Table {
  return {
    name: 'on-policy',
    title: 'Reward per served list',
    columns: [
      ...names('model'),
      ...numbers('reward per list', '±'),
      ...intervals('95 % interval'),
      ...numbers('lists', 'users'),
    ],
    lines: rows.map(({ model, value, stdErr, lower, upper, counts }) => [
      { name: model },
      decimal(value, 4),
      decimal(stdErr, 4),
      between(lower, upper),
      whole(counts['lists']),
      whole(counts['users']),
    ]),
  };
}
