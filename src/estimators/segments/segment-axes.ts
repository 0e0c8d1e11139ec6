import { FIRST_VALUE, OTHER } from '../../events/dimensions.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { EstimatorName } from '../names.js';
import { passText } from '../partitions/item-sums.js';
import { NumberedSums, type Rounds } from '../partitions/rounds.js';
import type { SegmentAxes } from '../results/segment-report.js';
import { estimatorOf } from '../rules/registry.js';

const SHAPE = 0x7365_6773;

/** What is divided: rows, or users. */
type Divided = Pick<WindowPart, 'rows' | 'positive' | 'segments'>;

/** Positive rows by the value of each dimension. Whole numbers. */
class ValueCounts extends NumberedSums<ValueCounts> {
  /** By dimension, then by value. */
  values: Map<string, number>[] = [];
  #dimensions: readonly string[] | undefined;
  /** By dimension: rows of either code that is no value. */
  #nameless: number[][] = [];
  /** Positive rows of parts that know no dimension: they say nothing in any. */
  #silent = 0;

  constructor() {
    super(SHAPE);
  }

  /** Undefined where no part has said anything of them. */
  get dimensions(): readonly string[] | undefined {
    return this.#dimensions;
  }

  /** By dimension and code below the first of a value. */
  get nameless(): readonly (readonly number[])[] {
    return this.#nameless.map(([unsaid, ...others]) => [unsaid + this.#silent, ...others]);
  }

  add({ rows, positive, segments }: Divided): void {
    if (segments === undefined) {
      for (let r = 0; r < rows; r++) this.#silent += positive[r];
      return;
    }
    this.#begin(segments.dimensions);
    for (const [d, names] of segments.names.entries()) {
      const byCode = new Float64Array(Math.max(FIRST_VALUE, names.length));
      const codes = segments.codes[d];
      for (let r = 0; r < rows; r++) byCode[codes[r]] += positive[r];
      for (let code = 0; code < FIRST_VALUE; code++) this.#nameless[d][code] += byCode[code];
      for (let code = FIRST_VALUE; code < names.length; code++) {
        if (byCode[code] > 0) this.#addValue(d, names[code], byCode[code]);
      }
    }
  }

  ofOthers(): ValueCounts {
    return new ValueCounts();
  }

  merge(others: ValueCounts): void {
    this.#silent += others.#silent;
    if (others.#dimensions === undefined) return;
    this.#begin(others.#dimensions);
    for (const [d, own] of others.values.entries()) {
      for (let code = 0; code < FIRST_VALUE; code++) {
        this.#nameless[d][code] += others.#nameless[d][code];
      }
      for (const [name, rows] of own) this.#addValue(d, name, rows);
    }
  }

  pass(through: NumberCodec): void {
    this.#silent = through.number(this.#silent);
    const isSaid = through.number(this.#dimensions === undefined ? 0 : 1) === 1;
    const size = through.number(this.values.length);
    const names = Array.from({ length: size }, (_, d) =>
      passText(through, this.#dimensions?.[d] ?? ''),
    );
    if (isSaid) this.#begin(names);
    for (const [d, nameless] of this.#nameless.entries()) {
      for (const code of nameless.keys()) nameless[code] = through.number(nameless[code]);
      const own = [...this.values[d]];
      const values = through.number(own.length);
      for (let v = 0; v < values; v++) {
        const [name, rows] = own[v] ?? ['', 0];
        this.values[d].set(passText(through, name), through.number(rows));
      }
    }
  }

  #begin(dimensions: readonly string[]): void {
    if (this.#dimensions !== undefined) return;
    this.#dimensions = dimensions;
    this.values = dimensions.map(() => new Map());
    this.#nameless = dimensions.map(() => new Array<number>(FIRST_VALUE).fill(0));
  }

  #addValue(d: number, name: string, rows: number): void {
    this.values[d].set(name, (this.values[d].get(name) ?? 0) + rows);
  }
}

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
export function* withSegmentAxes<Part extends Divided>(
  parts: readonly Part[],
  { values: most, minUsers }: { readonly values: number; readonly minUsers: number },
  rounds: Rounds,
): Generator<void, { readonly axes: SegmentAxes; readonly parts: readonly Part[] } | null> {
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
  const divided: Part[] = [];
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

function withCodes<Part extends Divided>(part: Part, names: readonly (readonly string[])[]): Part {
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
