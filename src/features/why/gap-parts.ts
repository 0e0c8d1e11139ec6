import type { OrganicJob } from '../../estimators/lanes/lane-job.js';
import { type NamedNumber, type Side, sideOf } from './side.js';
import { byActivity, byTaste, type UserGrouping } from './user-groups.js';

/**
 * Contribution of an item or group of users to the gap between two estimates: its part of the first
 * estimate minus its part of the second.
 */
export interface GapPart {
  readonly contribution: number;
  /** Part of the item or group in the first estimate, and in the second. */
  readonly parts: readonly [number, number];
}

/** Contribution of an item to a gap. */
export interface ItemPart extends GapPart {
  /** Dense item number. */
  readonly item: number;
  /** Number of interactions with a gain in the first estimate, and in the second. */
  readonly hits: readonly [number, number];
}

/**
 * Contribution of one group of users: those with from ≤ measure < to. The measure is the one by
 * which the grouping divides users.
 */
export interface GroupPart extends GapPart {
  readonly from: number;
  /** End of the group; +∞ for the last one. */
  readonly to: number;
  /** Number of users with weight in the first estimate, and in the second. */
  readonly users: readonly [number, number];
}

/** A gap, decomposed by items and by groups of users. */
export interface GapParts {
  /** The first estimate, and the one subtracted from it. */
  readonly values: readonly [number, number];
  readonly gap: number;
  /**
   * The items with the largest contributions, positive or negative, in descending order of size;
   * ties by item number.
   */
  readonly items: readonly ItemPart[];
  /** All other items together. */
  readonly rest: GapPart & { readonly items: number };
  readonly groups: readonly {
    readonly by: UserGrouping;
    readonly groups: readonly GroupPart[];
  }[];
}

/**
 * Decompose the gap between two estimates of a window by items and by groups of users.
 *
 * R₁ − R₂ = Σ_i (p₁(i) − p₂(i)), where p(i) is the part of item i in an estimate, see `sideOf`; the
 * same holds over groups. Exact up to rounding: nothing is sampled or modelled, and the parts sum
 * to the gap. O(rows + items log items) time; O(items) memory.
 *
 * @param most largest number of items to name.
 * @returns undefined if one of the estimates does not exist. Example for recall@1, pooled: user 1
 * has a popular item with a hit, user 2 a rare item without a hit, with weights ¼ and 1. naive is ½
 * and snips ¼ / 1¼ = 0.2; the popular item contributes ½ − 0.2 = 0.3, which is the whole gap.
 */
export function gapParts(
  job: OrganicJob,
  [first, second]: readonly [NamedNumber, NamedNumber],
  most: number,
): GapParts | undefined {
  const groups = [byActivity(job.part), byTaste(job.part, job.counts)];
  const a = sideOf(job, first, groups);
  const b = a && sideOf(job, second, groups);
  if (a === undefined || b === undefined) return undefined;
  const items = greatest(a, b, most);
  const named = items.reduce(
    ({ parts: [p, q] }, { parts }) => ({ parts: [p + parts[0], q + parts[1]] as const }),
    { parts: [0, 0] as readonly [number, number] },
  );
  let others = 0;
  for (let i = 0; i < a.items.length; i++) {
    if (a.hits[i] > 0 || b.hits[i] > 0) {
      others++;
    }
  }
  return {
    values: [a.value, b.value],
    gap: a.value - b.value,
    items,
    rest: {
      items: others - items.length,
      ...partOf(a.value - named.parts[0], b.value - named.parts[1]),
    },
    groups: groups.map(({ by, bounds }, way) => ({
      by,
      groups: bounds.map((bound, g) => ({
        ...bound,
        ...partOf(a.groups[way][g], b.groups[way][g]),
        users: [a.users[way][g], b.users[way][g]] as const,
      })),
    })),
  };
}

function partOf(p: number, q: number): GapPart {
  return {
    contribution: p - q,
    parts: [p, q],
  };
}

/** The items with the largest contributions to the gap, positive or negative. */
function greatest(a: Side, b: Side, most: number): ItemPart[] {
  let top: number[] = [];
  const size = (i: number) => Math.abs(a.items[i] - b.items[i]);
  const before = (i: number, j: number) => size(j) - size(i) || i - j;
  for (let i = 0; i < a.items.length; i++) {
    if (a.hits[i] === 0 && b.hits[i] === 0) continue;
    if (top.length === most && before(i, top[most - 1]) >= 0) continue;
    top = [...top, i].sort(before).slice(0, most);
  }
  return top.map((item) => ({
    item,
    ...partOf(a.items[item], b.items[item]),
    hits: [a.hits[item], b.hits[item]],
  }));
}
