import { FIRST_VALUE } from '../../events/dimensions.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { madeOnce } from '../lanes/made-once.js';
import type { DividedRows } from './segment-axes.js';

/** Popularity groups of items: popular, mid-tail and long-tail, in this order everywhere. */
export const ITEM_GROUPS = ['head', 'middle', 'tail'] as const;
export type ItemGroup = (typeof ITEM_GROUPS)[number];

const HEAD = 0;
const MIDDLE = 1;
const TAIL = 2;

/** Counts that separate popular, mid-tail and long-tail items. */
export interface ItemBorders {
  /** ν_h: items with at least this many positives are popular (head). */
  readonly head: number;
  /** ν_t: items with at most this many positives are long-tail. */
  readonly tail: number;
  /**
   * Actual share of all positives in each group. It may differ from 20 / 60 / 20 % because items
   * with equal counts stay together.
   */
  readonly shares: readonly [head: number, middle: number, tail: number];
}

export type ItemBordersRefusal = 'no_positives' | 'one_level';

/** Least share of all positives that the popular group and the long-tail group each have. */
const OUTER = 0.2;

/**
 * Find the counts that separate popular (head), mid-tail (middle) and long-tail (tail) items. Items
 * with equal counts stay together.
 *
 * With m_n items of count n: ν_h is the largest n with Σ_{n ≥ ν_h} n m_n ≥ .2 Σn, ν_t the smallest
 * with Σ_{n ≤ ν_t} n m_n ≥ .2 Σn, Σn being all positives. Items without a positive are long-tail.
 * Source: Abdollahpouri et al. 2019, The unfairness of popularity bias in recommendation (20 / 60 /
 * 20 % of the interactions); keeping equal counts together is ours.
 *
 * @param counts n of each item ≥ 0: positives in the popularity horizon. O(items + levels log
 * levels).
 * @returns `no_positives` if no item has any; `one_level` if head and tail would overlap.
 * @example
 * const borders = itemBorders([8, 5, 3, 2, 1, 1]);
 * typeof borders === 'string' ? null : [borders.head, borders.tail]; // [8, 2]
 */
export function itemBorders(counts: ArrayLike<number>): ItemBorders | ItemBordersRefusal {
  const items = new Map<number, number>();
  let total = 0;
  for (let i = 0; i < counts.length; i++) {
    const n = counts[i];
    if (!(n > 0)) continue;
    total += n;
    items.set(n, (items.get(n) ?? 0) + 1);
  }
  if (total === 0) return 'no_positives';
  const levels = [...items.keys()].sort((a, b) => b - a);
  const massOf = (n: number) => n * items.get(n)!;
  const head = levelOf(levels, massOf, OUTER * total);
  const tail = levelOf([...levels].reverse(), massOf, OUTER * total);
  if (tail >= head) return 'one_level';
  let inHead = 0;
  let inTail = 0;
  for (const n of levels) {
    if (n >= head) {
      inHead += massOf(n);
    } else if (n <= tail) {
      inTail += massOf(n);
    }
  }
  const shares = [inHead / total, (total - inHead - inTail) / total, inTail / total] as const;
  return {
    head,
    tail,
    shares,
  };
}

/**
 * First of the levels at which the cumulative mass reaches `least`, with a tolerance for rounding.
 */
function levelOf(levels: readonly number[], massOf: (n: number) => number, least: number): number {
  let sum = 0;
  for (const n of levels) {
    sum += massOf(n);
    if (sum >= least * (1 - 1e-12)) return n;
  }
  return levels[levels.length - 1];
}

/**
 * Group of an item with `count` positives: 0 popular, 1 mid-tail, 2 long-tail.
 *
 * @example
 * groupOfItem(0, { head: 8, tail: 2 }); // 2
 */
export function groupOfItem(count: number, { head, tail }: Pick<ItemBorders, 'head' | 'tail'>) {
  if (count >= head) return HEAD;
  return count > tail ? MIDDLE : TAIL;
}

/** Segment dimensions that need no field of events. */
export const BUILT_IN_DIMENSIONS = ['item_popularity'] as const;
export type BuiltInDimension = (typeof BUILT_IN_DIMENSIONS)[number];

const NAMES: readonly string[] = ['', '', ...ITEM_GROUPS];

/**
 * Add the segment dimension `item_popularity` to the rows: popular, mid-tail or long-tail, by the
 * row's item (see `itemBorders`). Rows stay unchanged if there are no borders because no item has a
 * positive or the groups would overlap. O(rows + items log items).
 *
 * @param divided rows with other segment dimensions; null without these. @param counts positives by
 * item.
 */
export function withItemGroups(
  divided: DividedRows<WindowPart> | null,
  part: WindowPart,
  counts: Float64Array,
  minUsers: number,
): DividedRows<WindowPart> | null {
  const groupOf = madeOnce(counts, ['groups'], () => groupsOf(counts));
  if (groupOf === undefined) return divided;
  const column = new Uint16Array(part.rows);
  const rows = NAMES.map(() => 0);
  for (let r = 0; r < part.rows; r++) {
    column[r] = groupOf[part.item[r]];
    rows[column[r]] += part.positive[r];
  }
  const { dimensions, names, codes } = divided?.part.segments ?? NO_SEGMENTS;
  const segments = {
    dimensions: [...dimensions, BUILT_IN_DIMENSIONS[0]],
    names: [...names, NAMES],
    codes: [...codes, column],
  };
  const axes = divided?.axes ?? {
    dimensions: [],
    names: [],
    rows: [],
    hidden: [],
    minUsers,
  };
  return {
    part: {
      ...part,
      segments,
    },
    axes: {
      ...axes,
      dimensions: [...axes.dimensions, BUILT_IN_DIMENSIONS[0]],
      names: [...axes.names, NAMES],
      rows: [...axes.rows, rows],
      hidden: [...axes.hidden, 0],
    },
  };
}

const NO_SEGMENTS = {
  dimensions: [],
  names: [],
  codes: [],
};

/** Segment code of each item's group; undefined if there are no borders. */
function groupsOf(counts: Float64Array): Uint16Array | undefined {
  const borders = itemBorders(counts);
  if (typeof borders === 'string') return undefined;
  return Uint16Array.from(counts, (n) => FIRST_VALUE + groupOfItem(n, borders));
}
