import { LEADING } from '../../estimators/names.js';
import { printable } from '../../outputs/text/terminal.js';
import { decimal, percent, whole } from '../../rows/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { type SegmentRow, segmentRows } from './segment-rows.js';

/** Models side by side within 100 columns. */
const MODELS_A_TABLE = 2;
const NAME = 18;
const ESTIMATE = 28;
const KIND_WORDS = { missing: '(not stated)', other: '(all others)' } as const;

/**
 * A table for each dimension: the first metric, pooled, by the leading estimator where it is given. Values with fewer
 * effective users than are shown have a dash; a star marks a difference from the reference model that is
 * found.
 */
export function segmentLines({ segments, models }: Pick<WindowSnapshot, 'segments' | 'models'>) {
  const first =
    segments?.numbers.find(({ estimator }) => estimator === LEADING) ?? segments?.numbers[0];
  if (segments === undefined || first === undefined) return [];
  const shown = segments.numbers.filter(
    ({ metric, k, estimator, form }) =>
      metric === first.metric &&
      k === first.k &&
      estimator === first.estimator &&
      form === 'pooled',
  );
  const rows = segmentRows(segments, shown);
  const names = models.map(({ model }) => model);
  const at = first.k === null ? '' : `@${first.k}`;
  return segments.dimensions.flatMap((dimension) => {
    const own = rows.filter((row) => row.dimension === dimension);
    const lines = ['', `By ${dimension}: ${first.metric}${at}, ${first.estimator}, pooled`];
    for (let m = 0; m < names.length; m += MODELS_A_TABLE) {
      lines.push(...tableOf(own, names.slice(m, m + MODELS_A_TABLE)));
    }
    return lines;
  });
}

function tableOf(rows: readonly SegmentRow[], models: readonly string[]): string[] {
  const bySegment = new Map<string, SegmentRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    bySegment.set(name, [...(bySegment.get(name) ?? []), row]);
  }
  const sorted = [...bySegment].sort(([, [a]], [, [b]]) => b.rows - a.rows);
  const head = models.map((model) =>
    printable(model)
      .slice(0, ESTIMATE - 2)
      .padStart(ESTIMATE),
  );
  return [
    `  ${''.padEnd(NAME)}${'rows'.padStart(9)}${'weight'.padStart(8)}${head.join('')}`,
    ...sorted.map(([name, own]) => {
      const cells = models.map((model) => cellOf(own.find((row) => row.model === model)));
      const { rows: size, share } = own[0];
      const label = printable(name)
        .slice(0, NAME - 1)
        .padEnd(NAME);
      return `  ${label}${whole(size).padStart(9)}${percent(share, 1).padStart(8)}${cells.join('')}`;
    }),
  ];
}

function nameOf({ kind, value }: SegmentRow): string {
  return kind === 'value' ? value! : KIND_WORDS[kind];
}

function cellOf(row: SegmentRow | undefined): string {
  if (row === undefined || row.estimate === null) return '–'.padStart(ESTIMATE);
  const star = row.difference?.isFound === true ? '*' : '';
  const range = `[${decimal(row.lower!, 3)}, ${decimal(row.upper!, 3)}]`;
  return `${star}${decimal(row.estimate, 4)} ${range}`.padStart(ESTIMATE);
}
