import { studentTTail } from '../../estimators/mathematics/distributions.js';
import type { SegmentNumbers, SegmentReport } from '../../estimators/results/segment-report.js';
import { discoveries } from './false-discoveries.js';
import { shrink } from './shrinkage.js';

/** Share of the differences found that may be none. */
const FALSE_DISCOVERIES = 0.05;

export const SEGMENT_KINDS = ['value', 'other', 'missing'] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** A value of a dimension. */
export interface Segment {
  readonly dimension: string;
  /** `missing`: nothing was said; `other`: all values that are not shown. */
  readonly kind: SegmentKind;
  /** Null except for a row of one value. */
  readonly value: string | null;
}

/** A segment's value drawn towards the mean of the dimension; on average over segments it holds. */
export interface ShrunkenValue {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** How much of the way it went, 0 to 1. */
  readonly shrinkage: number;
}

/** A model's value less the reference model's in the same segment. */
export interface SegmentGap {
  readonly reference: string;
  readonly value: number;
  readonly stdErr: number;
  /** Two-sided, by t with the effective users less one. */
  readonly p: number;
  /** Beyond chance, with 5 % false discoveries over all segments and models of the estimate. */
  readonly isFound: boolean;
}

/** One estimate in one segment. */
export interface SegmentRow
  extends Segment,
    Pick<SegmentNumbers, 'model' | 'metric' | 'k' | 'estimator'> {
  readonly aggregation: SegmentNumbers['form'];
  /** Positive rows of the segment. */
  readonly rows: number;
  /** ω, its share of the weight; shares of a dimension add up to 1. */
  readonly share: number;
  /** What it adds to the estimate of all rows; hidden with the value. */
  readonly contribution: number | null;
  readonly users: number;
  readonly ess: number;
  /** Fewer effective users than are shown: then the value is null. */
  readonly isHidden: boolean;
  readonly estimate: number | null;
  readonly stdErr: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** Null where it is hidden, and with fewer than six segments that are not. */
  readonly shrunken: ShrunkenValue | null;
  readonly difference: SegmentGap | null;
}

/** All values of the dimensions, in the order of the report’s columns. */
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
 * Estimates by segment as rows: by number, then dimension, then value; segments without a row are left
 * out.
 *
 * A value below `minUsers` effective users is hidden; its share stays, so that shares add up to 1. Values
 * of a dimension are drawn towards their mean (estimates/shrinkage.ts), and of all differences of
 * an estimate those are found that pass Benjamini–Hochberg at 5 % (estimates/false-discoveries.ts), hidden
 * ones left out.
 *
 * @param numbers of the report, or some of them: those of one estimate should come together, since
 * differences are judged over all its models.
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

/** Users of equal weight are as many as they are: the order of a sum must not hide them. */
const EDGE = 1 + 1e-9;

/** Whether a value has fewer effective users than `minUsers`. */
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

/** By number: the differences that may be shown, in the order of the segments. */
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

/** NaN where it is not tested. */
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
