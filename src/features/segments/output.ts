import { LEADING } from '../../estimators/names.js';
import type { SegmentReport } from '../../estimators/results/segment-report.js';
import { between, decimal, percent, whole } from '../../rows/figures.js';
import type { ShownDifference, ShownRow } from '../../rows/row.js';
import {
  type Cell,
  intervals,
  names,
  numbers,
  type Section,
  type Table,
} from '../../rows/table.js';
import { formWords, metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { FeatureOutput } from '../output.js';
import { type SegmentRow, segmentRows } from './segment-rows.js';

declare module '../../stream/feature-types.js' {
  interface WindowReports {
    /** Estimates by value of a dimension; only if dimensions are configured. */
    readonly segments?: SegmentReport;
  }
}

/** How estimates by segment are shown. They have their own API route, because there are many. */
export const SEGMENTS_OUTPUT: FeatureOutput<'segments'> = {
  name: 'segments',
  isOnSheet: true,
  section: (report, shows = () => true) => {
    const { numbers, ...axes } = report as SegmentReport;
    const rows = segmentRows(axes, numbers);
    return segmentsSection(rows.filter((row) => shows(asRows('segments', row)[0])));
  },
  toEvaluation: segmentsJson,
  tabled: ({ numbers, ...axes }, { feedback }) => [
    ...segmentRows(axes, numbers).flatMap((row) => asRows('segments', row)),
    ...segmentRows(axes, feedback?.uncaused?.segments ?? []).flatMap((row) =>
      asRows('uncaused_segments', row),
    ),
  ],
};

const HIDDEN = [
  {
    code: 'few_users',
    consequence: 'withheld' as const,
    figures: {},
  },
];

/**
 * Convert an estimate of a segment to result rows: the estimate and, if there is one, its
 * difference from the reference.
 */
function asRows(family: string, row: SegmentRow): (ShownRow | ShownDifference)[] {
  const { model, metric, k, estimator, aggregation: form, isHidden, difference, ess } = row;
  const { dimension, kind, value, users, rows, share } = row;
  const named = {
    family,
    model,
    metric,
    k,
    estimator,
    form,
  };
  const own: ShownRow = {
    ...named,
    segment: {
      dimension,
      kind,
      value: value ?? '',
    },
    value: row.estimate,
    stdErr: row.stdErr,
    lower: row.lower,
    upper: row.upper,
    ess,
    counts: { users, rows },
    more: { share },
    ...(isHidden
      ? {
          status: 'withheld' as const,
          reasons: HIDDEN,
        }
      : {
          status: 'given' as const,
          reasons: [],
        }),
  };
  if (difference === null) return [own];
  const { reference, stdErr, p, isFound } = difference;
  const more = {
    share,
    p,
    isFound: isFound ? 1 : 0,
  };
  const gap = {
    reference,
    value: difference.value,
    stdErr,
    lower: null,
    upper: null,
    more,
  };
  return [
    own,
    {
      ...own,
      ...gap,
    },
  ];
}

/**
 * The segments for `evaluate --json`: rows of all estimates, and for each dimension the number of
 * values grouped as other.
 */
function segmentsJson({ numbers, ...axes }: SegmentReport, { feedback }: WindowSnapshot) {
  const uncaused = feedback?.uncaused?.segments;
  const { dimensions, hidden, minUsers } = axes;
  return {
    dimensions: dimensions.map((name, d) => ({
      name,
      otherValues: hidden[d],
    })),
    minUsers,
    results: segmentRows(axes, numbers),
    ...(uncaused && { uncaused: segmentRows(axes, uncaused) }),
  };
}

/** Texts for the segments that are not a single value. */
export const KIND_WORDS = {
  missing: '(not stated)',
  other: '(all others)',
} as const;

/**
 * Section with a table for each dimension: the first metric over all events, by the leading
 * estimator if available. Segments with too few effective users have a dash. Significant
 * differences from the reference model are marked.
 */
export function segmentsSection(rows: readonly SegmentRow[]): Section | null {
  const first = rows.find(({ estimator }) => estimator === LEADING) ?? rows[0];
  if (first === undefined) return null;
  const shown = rows.filter(
    ({ metric, k, estimator, aggregation }) =>
      metric === first.metric &&
      k === first.k &&
      estimator === first.estimator &&
      aggregation === 'pooled',
  );
  const dimensions = [...new Set(shown.map(({ dimension }) => dimension))];
  const what = `${metricName(first)}, ${first.estimator}, ${formWords('pooled')}`;
  return {
    name: 'segments',
    title: 'By segment',
    lead: [
      `${what}. A star or highlight marks a significant difference from the reference model. A dash means too few users.`,
    ],
    blocks: [
      {
        tables: dimensions.map((name) =>
          segmentTable(
            name,
            shown.filter(({ dimension }) => dimension === name),
          ),
        ),
      },
    ],
  };
}

/** Table of one dimension, values with the most rows first. */
function segmentTable(dimension: string, rows: readonly SegmentRow[]): Table {
  const sorted = [...rows].sort((a, b) => b.rows - a.rows);
  return {
    name: 'segments',
    title: ['By ', { name: dimension }],
    columns: [
      ...names({ name: dimension }),
      ...numbers('rows', 'weight'),
      ...names('model'),
      ...numbers('value'),
      ...intervals('95 % interval'),
    ],
    lines: sorted.map((row): Cell[] => {
      const { kind, value, model, estimate, lower, upper } = row;
      return [
        kind === 'value' ? { name: value! } : KIND_WORDS[kind],
        whole(row.rows),
        percent(row.share, 1),
        { name: model },
        ...(row.isHidden
          ? ['–', '–']
          : [
              row.difference?.isFound
                ? {
                    words: decimal(estimate, 4),
                    mark: 'changed' as const,
                  }
                : decimal(estimate, 4),
              between(lower, upper, 3),
            ]),
      ];
    }),
    pivot: [3],
  };
}
