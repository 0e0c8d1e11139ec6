import { perUser, unlikeness } from '../../../estimators/evidence/per-user.js';
import { upperGamma } from '../../../estimators/mathematics/distributions.js';
import { FIRST_VALUE } from '../../../events/dimensions.js';
import { sampleRatioTest } from '../sample-ratio.js';
import type { Participants } from './participants.js';

/** Number of values of a dimension that are tested separately; the others are merged. */
const MOST_VALUES = 8;
/** Least expected count of a cell in a χ² test. */
const LEAST_EXPECTED = 5;
/** p-value below which a split is a mismatch. */
export const LEAST_P = 0.001;
/** |z| above which arms' users differed before the test. */
const MOST_UNLIKE = 3.5;

/** Assignments to arms, with the declared shares. */
export interface Split {
  /** Arm of each user, or of each list. */
  readonly arm: ArrayLike<number>;
  readonly arms: readonly string[];
  /** Declared share by arm, with sum 1; undefined if not declared. */
  readonly declared: readonly number[] | undefined;
}

/** Counts by arm. */
export function countsOf({ arm, arms }: Pick<Split, 'arm' | 'arms'>): Float64Array {
  const counts = new Float64Array(arms.length);
  for (let u = 0; u < arm.length; u++) {
    counts[arm[u]]++;
  }
  return counts;
}

/** p-value of the counts under the declared shares; NaN without them. */
export function ratioP(counts: Float64Array, declared: readonly number[] | undefined): number {
  return declared === undefined ? Number.NaN : sampleRatioTest(counts, [declared]).p;
}

/** A sample ratio mismatch within one value of a dimension. */
export interface OffWithin {
  readonly dimension: string;
  readonly value: string;
  readonly model: string;
  readonly served: number;
  readonly expected: number;
  readonly p: number;
}

/**
 * Test the split within each segment dimension: against the declared shares, or else by χ² of arm ×
 * value.
 *
 * @param codes by dimension, one per entry. @returns the dimension with the smallest p, if that is
 * below .001 / number of dimensions.
 */
export function offWithin(
  split: Split,
  codes: readonly ArrayLike<number>[],
  dimensions: readonly {
    readonly name: string;
    readonly values: readonly string[];
  }[],
): OffWithin | undefined {
  const found = dimensions.flatMap(({ name, values }, d) => {
    const groups = byValue(split, codes[d]);
    const { p, worst } = homogeneity(
      groups.map(({ counts }) => counts),
      split.declared,
    );
    if (!(p < LEAST_P / dimensions.length)) return [];
    const { counts, code } = groups[worst.group];
    const all = counts.reduce((sum, each) => sum + each, 0);
    return [
      {
        dimension: name,
        value: code === OTHER_VALUES ? 'other' : code < FIRST_VALUE ? 'missing' : values[code],
        model: split.arms[worst.arm],
        served: counts[worst.arm] / all,
        expected: worst.expected / all,
        p,
      },
    ];
  });
  return found.sort((a, b) => a.p - b.p)[0];
}

const OTHER_VALUES = -1;

function byValue(
  { arm, arms }: Split,
  codes: ArrayLike<number>,
): {
  readonly code: number;
  readonly counts: Float64Array;
}[] {
  const groups = new Map<number, Float64Array>();
  for (let u = 0; u < arm.length; u++) {
    const counts = groups.get(codes[u]) ?? new Float64Array(arms.length);
    counts[arm[u]]++;
    groups.set(codes[u], counts);
  }
  const sizes = [...groups].map(([code, counts]) => ({
    code,
    counts,
    size: total(counts),
  }));
  sizes.sort((a, b) => b.size - a.size || a.code - b.code);
  const isOwn = ({ size }: (typeof sizes)[number], place: number) =>
    place < MOST_VALUES && size >= 2 * arms.length * LEAST_EXPECTED;
  const own = sizes.filter(isOwn);
  const rest = sizes.filter((each, place) => !isOwn(each, place));
  if (rest.length === 0) return own;
  const counts = new Float64Array(arms.length);
  for (const each of rest) {
    for (const [a, n] of each.counts.entries()) {
      counts[a] += n;
    }
  }
  return [
    ...own,
    {
      code: OTHER_VALUES,
      counts,
    },
  ];
}

/** χ² of groups against declared shares, or else against the pooled shares, with the cell that deviates most. */
function homogeneity(
  groups: readonly Float64Array[],
  declared: readonly number[] | undefined,
): {
  readonly p: number;
  readonly worst: {
    readonly group: number;
    readonly arm: number;
    readonly expected: number;
  };
} {
  const arms = groups[0]?.length ?? 0;
  const all = new Float64Array(arms);
  for (const counts of groups) {
    for (const [a, n] of counts.entries()) {
      all[a] += n;
    }
  }
  const size = total(all);
  const shares = declared ?? [...all].map((each) => each / size);
  let chiSquare = 0;
  let worst = {
    group: 0,
    arm: 0,
    expected: 0,
    square: 0,
  };
  for (const [group, counts] of groups.entries()) {
    const of = total(counts);
    for (const [arm, observed] of counts.entries()) {
      const expected = of * shares[arm];
      if (expected === 0 && observed === 0) continue;
      const square =
        expected === 0 ? Number.POSITIVE_INFINITY : (observed - expected) ** 2 / expected;
      chiSquare += square;
      if (square > worst.square) {
        worst = {
          group,
          arm,
          expected,
          square,
        };
      }
    }
  }
  const used = shares.filter((share) => share > 0).length;
  const freedom = (declared === undefined ? groups.length - 1 : groups.length) * (used - 1);
  if (chiSquare === Number.POSITIVE_INFINITY) {
    return {
      p: 0,
      worst,
    };
  }
  return {
    p: freedom > 0 ? upperGamma(freedom / 2, chiSquare / 2) : 1,
    worst,
  };
}

/**
 * Test whether a split without declared shares changed: χ² of arm × day of the first list, over
 * days with an expectation of at least five per arm.
 *
 * @param days of the entries, from 0. @returns p, and the day (from 1) of the largest change.
 */
export function splitOverDays(
  { arm, arms }: Split,
  days: ArrayLike<number>,
): {
  readonly p: number;
  readonly day: number;
} {
  const byDay = new Map<number, Float64Array>();
  for (let u = 0; u < arm.length; u++) {
    const counts = byDay.get(days[u]) ?? new Float64Array(arms.length);
    counts[arm[u]]++;
    byDay.set(days[u], counts);
  }
  const all = countsOf({ arm, arms });
  const least = Math.min(...all) / total(all);
  const kept = [...byDay]
    .filter(([, counts]) => total(counts) * least >= LEAST_EXPECTED)
    .sort(([a], [b]) => a - b);
  if (kept.length < 2) {
    return {
      p: 1,
      day: 1,
    };
  }
  const { p } = homogeneity(
    kept.map(([, counts]) => counts),
    undefined,
  );
  let best = {
    day: 1,
    p: 2,
  };
  for (let cut = 1; cut < kept.length; cut++) {
    const sides = [kept.slice(0, cut), kept.slice(cut)].map((side) =>
      arms.map((_, a) => side.reduce((sum, [, counts]) => sum + counts[a], 0)),
    );
    const own = homogeneity(
      sides.map((each) => Float64Array.from(each)),
      undefined,
    ).p;
    if (own < best.p) {
      best = {
        day: kept[cut][0] + 1,
        p: own,
      };
    }
  }
  return {
    p,
    day: best.day,
  };
}

/** An arm whose users were more or less active before the test than all others. */
export interface UnlikeBefore {
  readonly model: string;
  /** Relative difference in activity. */
  readonly more: number;
  readonly z: number;
}

/** Compare the activity of arms' users before the test; undefined if it is similar or not logged. */
export function unlikeBefore(
  { arm, history }: Pick<Participants, 'arm' | 'history'>,
  arms: readonly string[],
): UnlikeBefore | undefined {
  const known = [...arm.keys()].filter((u) => !Number.isNaN(history[u]));
  const found = arms.map((model, a): UnlikeBefore => {
    const contrast = perUser({
      arm: known.map((u) => (arm[u] === a ? 1 : 0)),
      reward: known.map((u) => history[u]),
      history: known.map(() => Number.NaN),
    });
    const z = unlikeness(contrast);
    return {
      model,
      z,
      more: Math.expm1(contrast.own - contrast.other),
    };
  });
  const [worst] = found.sort((a, b) => Math.abs(b.z) - Math.abs(a.z));
  return worst !== undefined && Math.abs(worst.z) > MOST_UNLIKE ? worst : undefined;
}

/** Whether users differ in their logged history, so that its balance can test the split. */
export function hasHistory({ history }: Pick<Participants, 'history'>): boolean {
  let first = Number.NaN;
  for (const x of history) {
    if (Number.isNaN(x)) continue;
    if (Number.isNaN(first)) {
      first = x;
    } else if (x !== first) return true;
  }
  return false;
}

function total(counts: Float64Array): number {
  return counts.reduce((sum, each) => sum + each, 0);
}
