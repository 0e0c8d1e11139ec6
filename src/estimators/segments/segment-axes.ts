import { FIRST_VALUE, OTHER } from '../../events/dimensions.js';
import type { RowSegments } from '../../state/panes/row-segments.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimatorName } from '../names.js';
import type { SegmentAxes } from '../results/segment-report.js';
import { estimatorOf } from '../rules/registry.js';

/** Rows, or users, with segment codes. */
type Divided = Pick<WindowPart, 'rows' | 'positive' | 'segments'>;

/** Rows recoded to the reported segment values, and these values (`axes`). */
export interface DividedRows<Rows> {
  readonly axes: SegmentAxes;
  readonly part: Rows;
}

/** Whether an estimator is reported by segment. Interventions are not, since they draw from all rows together. */
export function isDividedBy(estimator: EstimatorName): boolean {
  const { kind } = estimatorOf(estimator);
  return kind === 'observed' || kind === 'weighted';
}

/**
 * Index of each dimension's first value among the values of all dimensions; the last entry is the
 * total number of values.
 */
export function segmentOffsets({ names }: Pick<SegmentAxes, 'names'>): number[] {
  const offsets = [0];
  for (const own of names) {
    offsets.push(offsets[offsets.length - 1] + own.length);
  }
  return offsets;
}

/**
 * Choose the reported values of each segment dimension and recode the rows to them.
 *
 * The reported values are those with the most positive rows, ties by name. Codes 0 and 1 remain the
 * two unnamed ones (missing, and all other values); the reported values follow in the order of
 * their names. The choice does not depend on the order of rows. O(rows · dimensions).
 *
 * @param values maximum number of reported values per dimension. @returns null without dimensions.
 */
export function withSegmentAxes<Rows extends Divided>(
  part: Rows,
  {
    values: most,
    minUsers,
  }: {
    readonly values: number;
    readonly minUsers: number;
  },
): DividedRows<Rows> | null {
  const { segments } = part;
  if (segments === undefined) return null;
  const { dimensions } = segments;
  const names: string[][] = [];
  const rows: number[][] = [];
  const hidden: number[] = [];
  const codes: Uint16Array[] = [];
  for (let d = 0; d < dimensions.length; d++) {
    const { nameless, values } = countedValues(part, segments, d);
    const shown = mostFrequent(values, most);
    const others = [...values.keys()].filter((name) => !shown.includes(name));
    nameless[OTHER] += others.reduce((sum, name) => sum + values.get(name)!, 0);
    names.push(['', '', ...shown]);
    rows.push([...nameless, ...shown.map((name) => values.get(name)!)]);
    hidden.push(others.length);
    codes.push(codesOf(segments, d, names[d]));
  }
  const axes = {
    dimensions,
    names,
    rows,
    hidden,
    minUsers,
  };
  return {
    axes,
    part: {
      ...part,
      segments: {
        dimensions,
        names,
        codes,
      },
    },
  };
}

/**
 * Count positive rows by value of dimension `d`; `nameless` are the counts of the two unnamed
 * codes.
 */
function countedValues(
  { rows, positive }: Divided,
  { names, codes }: RowSegments,
  d: number,
): {
  readonly nameless: number[];
  readonly values: ReadonlyMap<string, number>;
} {
  const byCode = new Float64Array(Math.max(FIRST_VALUE, names[d].length));
  for (let r = 0; r < rows; r++) {
    byCode[codes[d][r]] += positive[r];
  }
  const values = new Map<string, number>();
  for (let code = FIRST_VALUE; code < byCode.length; code++) {
    if (byCode[code] > 0) {
      values.set(names[d][code], byCode[code]);
    }
  }
  return {
    nameless: [...byCode.subarray(0, FIRST_VALUE)],
    values,
  };
}

function mostFrequent(rows: ReadonlyMap<string, number>, most: number): string[] {
  const byName = (a: string, b: string) => (a < b ? -1 : 1);
  return [...rows]
    .sort(([a, n], [b, m]) => m - n || byName(a, b))
    .slice(0, most)
    .map(([name]) => name)
    .sort(byName);
}

function codesOf({ names, codes }: RowSegments, d: number, shown: readonly string[]): Uint16Array {
  const places = new Map(shown.map((name, code) => [name, code]));
  const codeOf = Uint16Array.from(names[d], (name, code) =>
    code < FIRST_VALUE ? code : (places.get(name) ?? OTHER),
  );
  return codes[d].map((code) => codeOf[code]);
}
