import { FIRST_VALUE, OTHER } from '../../events/dimensions.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimatorName } from '../names.js';
import { ALONE } from '../partitions/rounds.js';
import type { SegmentAxes } from '../results/segment-report.js';
import { estimatorOf } from '../rules/registry.js';
import { ValueCounts } from './value-counts.js';

/**
 * Whether an estimator's estimates are given by segment. Interventions are not: which rows they keep is
 * settled for all rows together.
 */
export function isDividedBy(estimator: EstimatorName): boolean {
  const { kind } = estimatorOf(estimator);
  return kind === 'observed' || kind === 'weighted';
}

/** Places of values before those of a dimension, and of all in the end. */
export function segmentOffsets({ names }: Pick<SegmentAxes, 'names'>): number[] {
  const offsets = [0];
  for (const own of names) offsets.push(offsets[offsets.length - 1] + own.length);
  return offsets;
}

/**
 * Settles which values of each dimension are shown: those with most positive rows, and of as many
 * rows the first by name. It follows from the rows alone: not from their order, nor from how they are
 * divided among partitions. Gives the parts the codes of the axes: values by name, behind the two that
 * have none. O(rows · dimensions). Yields after each part.
 *
 * @param values of a dimension at most. @param rounds bring the rows of all partitions together: one
 * round. @returns null where no partition says anything of dimensions.
 */
export function* withSegmentAxes(
  parts: readonly WindowPart[],
  { values: most, minUsers }: { readonly values: number; readonly minUsers: number },
  rounds = ALONE,
): Generator<void, { readonly axes: SegmentAxes; readonly parts: readonly WindowPart[] } | null> {
  const { dimensions, values, nameless } = yield* rounds.gather(
    new ValueCounts(),
    parts,
    function* count(sums, part) {
      sums.add(part);
      yield;
    },
  );
  if (dimensions === undefined) return null;
  const shown = values.map((rows) => mostFrequent(rows, most));
  const names = shown.map((own) => ['', '', ...own]);
  const rows = names.map((own, d) =>
    own.map((name, code) => (code < FIRST_VALUE ? nameless[d][code] : (values[d].get(name) ?? 0))),
  );
  for (const [d, found] of values.entries()) {
    const kept = new Set(names[d]);
    for (const [name, own] of found) if (!kept.has(name)) rows[d][OTHER] += own;
  }
  const divided: WindowPart[] = [];
  for (const part of parts) {
    divided.push(withCodes(part, names));
    yield;
  }
  const hidden = values.map((found, d) => found.size - shown[d].length);
  return { axes: { dimensions, names, rows, hidden, minUsers }, parts: divided };
}

function mostFrequent(rows: ReadonlyMap<string, number>, most: number): string[] {
  const byName = (a: string, b: string) => (a < b ? -1 : 1);
  return [...rows]
    .sort(([a, n], [b, m]) => m - n || byName(a, b))
    .slice(0, most)
    .map(([name]) => name)
    .sort(byName);
}

function withCodes(part: WindowPart, names: readonly (readonly string[])[]): WindowPart {
  const own = part.segments;
  const codes = names.map((values, d) => {
    if (own === undefined) return new Uint16Array(part.rows);
    const places = new Map(values.map((name, code) => [name, code]));
    const codeOf = Uint16Array.from(own.names[d], (name, code) =>
      code < FIRST_VALUE ? code : (places.get(name) ?? OTHER),
    );
    const column = new Uint16Array(part.rows);
    for (let r = 0; r < part.rows; r++) column[r] = codeOf[own.codes[d][r]];
    return column;
  });
  return { ...part, segments: { dimensions: own?.dimensions ?? [], names, codes } };
}
