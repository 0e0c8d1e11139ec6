import { LEADING } from '../../estimators/names.js';
import type { SegmentRow } from '../../features/segments/segment-rows.js';
import { between, decimal, percent, whole } from '../../rows/figures.js';
import {
  type Cell,
  intervals,
  names,
  numbers,
  type Section,
  type Table,
} from '../../rows/table.js';
import { formWords, metricName } from '../../rows/words.js';

const KIND_WORDS = { missing: '(not stated)', other: '(all others)' } as const;

/**
 * A table for each dimension: the first metric over all events, by the leading estimator where it is
 * given. Values with fewer effective users than are shown have a dash; a difference from the
 * reference model that is found is marked.
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
    ...{ name: 'segments', title: 'By segment' },
    lead: [
      `${what}. A star or highlight: the difference from the reference model is beyond chance. A dash: too few users to say.`,
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

/** The most frequent values first. */
function segmentTable(dimension: string, rows: readonly SegmentRow[]): Table {
  const sorted = [...rows].sort((a, b) => b.rows - a.rows);
  return {
    ...{ name: 'segments', title: ['By ', { name: dimension }] },
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
        ...[kind === 'value' ? { name: value! } : KIND_WORDS[kind], whole(row.rows)],
        ...[percent(row.share, 1), { name: model }],
        ...(row.isHidden
          ? ['–', '–']
          : [
              row.difference?.isFound
                ? { words: decimal(estimate, 4), mark: 'changed' as const }
                : decimal(estimate, 4),
              between(lower, upper, 3),
            ]),
      ];
    }),
    pivot: [3],
  };
}
