import { studentTTail } from '../../estimators/mathematics/distributions.js';
import type { SegmentNumbers, SegmentReport } from '../../estimators/results/segment-report.js';
import { discoveries } from './false-discoveries.js';
import { shrink } from './shrinkage.js';

/** Expected proportion of false discoveries among the significant differences, at most. */
const FALSE_DISCOVERIES = 0.05;

/** Kinds of segments; see `Segment`. */
export const SEGMENT_KINDS = ['value', 'other', 'missing'] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/**
 * A segment of the rows of a window: those with one value of a dimension, those with any value that
 * is not reported, or those without a value.
 */
export interface Segment {
  readonly dimension: string;
  /**
   * `value`: rows with the value below; `missing`: rows without a value; `other`: rows with any
   * value that is not reported.
   */
  readonly kind: SegmentKind;
  /** The value; null unless `kind` is `value`. */
  readonly value: string | null;
}

/**
 * The estimate of a segment, shrunk towards the mean of the dimension, with a 95 % interval. The
 * interval has its coverage on average over segments, not for each one.
 */
export interface ShrunkenValue {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** Fraction of the distance to the mean by which the estimate was shrunk, 0 to 1. */
  readonly shrinkage: number;
}

/** A model's value minus the reference model's in the same segment. */
export interface SegmentGap {
  readonly reference: string;
  readonly value: number;
  readonly stdErr: number;
  /** Two-sided p-value of a t-test with ESS − 1 degrees of freedom. */
  readonly p: number;
  /**
   * Whether the difference is significant, with at most 5 % false discoveries over all segments and
   * models of the estimate.
   */
  readonly isFound: boolean;
}

/** One estimate of one model in one segment. */
export interface SegmentRow
  extends Segment,
    Pick<SegmentNumbers, 'model' | 'metric' | 'k' | 'estimator'> {
  readonly aggregation: SegmentNumbers['form'];
  /** Number of positive interactions in the segment. */
  readonly rows: number;
  /**
   * Fraction ω of the total weight that the segment has; the fractions of a dimension add up to 1.
   */
  readonly share: number;
  /** Contribution of the segment to the estimate over all rows; null if hidden. */
  readonly contribution: number | null;
  /** Number of users with weight. */
  readonly users: number;
  /** Effective number of users. */
  readonly ess: number;
  /** Whether the segment has too few effective users to be shown; its numbers are then null. */
  readonly isHidden: boolean;
  readonly estimate: number | null;
  readonly stdErr: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /**
   * The shrunk estimate; null if the segment is hidden, or if fewer than six segments are shown.
   */
  readonly shrunken: ShrunkenValue | null;
  /** Difference from the reference model; null if it is not tested. */
  readonly difference: SegmentGap | null;
}

/** All segments of the dimensions, in the order of the report’s columns. */
export function segmentsOf({
  dimensions,
  names,
}: Pick<SegmentReport, 'dimensions' | 'names'>): Segment[] {
  return dimensions.flatMap((dimension, d) =>
    names[d].map((name, code): Segment => {
      if (code === 0) {
        return {
          dimension,
          kind: 'missing',
          value: null,
        };
      }
      return code === 1
        ? {
            dimension,
            kind: 'other',
            value: null,
          }
        : {
            dimension,
            kind: 'value',
            value: name,
          };
    }),
  );
}

/**
 * Convert estimates by segment to rows, ordered by estimate, dimension and value. Segments without
 * weight are left out.
 *
 * A segment with fewer than `minUsers` effective users is hidden; its fraction of the weight is
 * still shown, so that fractions add up to 1. The estimates of a dimension are shrunk towards their
 * mean (shrinkage.ts). Differences that are not hidden are tested together over the segments and
 * models of an estimate, by Benjamini–Hochberg at 5 % (false-discoveries.ts).
 *
 * @param numbers all or some estimates of the report. Pass all models of an estimate together,
 * since their differences are tested together.
 */
export function segmentRows(
  report: Omit<SegmentReport, 'numbers'>,
  numbers: readonly SegmentNumbers[],
): SegmentRow[] {
  const segments = segmentsOf(report);
  const rows = report.rows.flat();
  const found = foundGaps(numbers, report);
  return numbers.flatMap((number) => {
    const shrunken = shrunkenBy(number, report);
    return segments.flatMap((segment, at): SegmentRow[] => {
      if (!(number.share[at] > 0)) return [];
      const isHidden = isHiddenAt(number, at, report);
      const shown = <T>(value: T) => (isHidden ? null : value);
      const { model, metric, k, estimator, form: aggregation } = number;
      return [
        {
          ...segment,
          model,
          metric,
          k,
          estimator,
          aggregation,
          rows: rows[at],
          share: number.share[at],
          contribution: shown(number.contribution[at]),
          users: number.users[at],
          ess: number.ess[at],
          isHidden,
          estimate: shown(number.value[at]),
          stdErr: shown(number.stdErr[at]),
          lower: shown(number.lower[at]),
          upper: shown(number.upper[at]),
          shrunken: shrunken[at] ?? null,
          difference: found.get(number)?.[at] ?? null,
        },
      ];
    });
  });
}

/**
 * Tolerance for rounding, so that a segment with `minUsers` users of equal weight is never hidden.
 */
const EDGE = 1 + 1e-9;

/** Whether a segment has fewer effective users than `minUsers`. */
export function isHiddenAt(
  { ess }: SegmentNumbers,
  at: number,
  { minUsers }: { minUsers: number },
) {
  return !(ess[at] * EDGE >= minUsers);
}

function shrunkenBy(
  number: SegmentNumbers,
  report: Omit<SegmentReport, 'numbers'>,
): (ShrunkenValue | undefined)[] {
  const all: (ShrunkenValue | undefined)[] = [];
  let first = 0;
  for (const names of report.names) {
    const places: number[] = [];
    for (let at = first; at < first + names.length; at++) {
      if (!isHiddenAt(number, at, report) && !Number.isNaN(number.stdErr[at])) {
        places.push(at);
      }
    }
    const found = shrink(
      places.map((at) => ({
        value: number.value[at],
        users: number.ess[at],
        variance: number.stdErr[at] ** 2,
      })),
    );
    if (typeof found !== 'string') {
      for (const [s, { value, low, high, shrinkage }] of found.segments.entries()) {
        all[places[s]] = {
          value,
          lower: low,
          upper: high,
          shrinkage,
        };
      }
    }
    first += names.length;
  }
  return all;
}

/** Differences from the reference that may be shown, by estimate, in the order of the segments. */
function foundGaps(
  numbers: readonly SegmentNumbers[],
  report: Omit<SegmentReport, 'numbers'>,
): ReadonlyMap<SegmentNumbers, (SegmentGap | null)[]> {
  const families = new Map<string, SegmentNumbers[]>();
  for (const number of numbers) {
    if (number.difference === undefined) continue;
    const { metric, k, estimator, form } = number;
    const name = JSON.stringify([metric, k, estimator, form]);
    families.set(name, [...(families.get(name) ?? []), number]);
  }
  const gaps = new Map<SegmentNumbers, (SegmentGap | null)[]>();
  for (const family of families.values()) {
    const p = family.flatMap((number) => pValues(number, report));
    const isFound = discoveries(p, FALSE_DISCOVERIES);
    let at = 0;
    for (const number of family) {
      const { reference, value, stdErr } = number.difference!;
      gaps.set(
        number,
        value.map((own, s) => {
          const test = at++;
          if (Number.isNaN(p[test])) return null;
          const gap = {
            reference,
            value: own,
            stdErr: stdErr[s],
            p: p[test],
          };
          return {
            ...gap,
            isFound: isFound[test],
          };
        }),
      );
    }
  }
  return gaps;
}

/** p-value of each segment's difference; NaN if it is not tested. */
function pValues(number: SegmentNumbers, report: Omit<SegmentReport, 'numbers'>): number[] {
  const { value, stdErr } = number.difference!;
  return value.map((gap, at) => {
    if (isHiddenAt(number, at, report) || Number.isNaN(gap) || Number.isNaN(stdErr[at])) {
      return Number.NaN;
    }
    if (stdErr[at] === 0) return gap === 0 ? 1 : Number.NaN;
    return studentTTail(Math.abs(gap) / stdErr[at], number.ess[at] - 1);
  });
}
