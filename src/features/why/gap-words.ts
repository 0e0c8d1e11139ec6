import { decimal, type Figure, isKnown, percent, signed, whole } from '../../rows/figures.js';
import type { UserGrouping } from './user-groups.js';

/** A gap with its parts, in memory or as parsed from JSON. */
export interface WordedGap {
  readonly numbers: readonly {
    readonly model: string;
    readonly estimator: string;
  }[];
  readonly values: readonly Figure[];
  readonly gap: Figure;
  readonly items: readonly unknown[];
  readonly rest: {
    readonly items: number;
    readonly contribution: Figure;
  };
}

/**
 * Shortest names that distinguish the two estimates: their models, or the estimators if the model
 * is the same.
 */
export function sideNames({
  numbers: [first, second],
}: Pick<WordedGap, 'numbers'>): [string, string] {
  return first!.model === second!.model
    ? [first!.estimator, second!.estimator]
    : [first!.model, second!.model];
}

/**
 * Sentence with both estimates, their gap, and the contribution of the named items.
 *
 * @example
 * const numbers = [{ model: 'a', estimator: 'naive' }, { model: 'a', estimator: 'snips' }];
 * const rest = { items: 0, contribution: 0 };
 * gapInShort({ numbers, values: [0.5, 0.2], gap: 0.3, items: [], rest });
 * // 'naive 0.5000, snips 0.2000: a gap of +0.3000. No item contributes to it.'
 */
export function gapInShort(gap: WordedGap): string {
  const { values, items, rest } = gap;
  const [first, second] = sideNames(gap);
  const numbers = `${first} ${decimal(values[0]!, 4)}, ${second} ${decimal(values[1]!, 4)}: a gap of ${signed(gap.gap, 4)}.`;
  const named =
    isKnown(gap.gap) && isKnown(rest.contribution) ? gap.gap - rest.contribution : Number.NaN;
  if (items.length === 0) return `${numbers} No item contributes to it.`;
  const all = whole(items.length + rest.items);
  return `${numbers} The ${whole(items.length)} items below contribute ${signed(named, 4)} of it; ${all} items have a hit.`;
}

/** For each grouping of users, its title and the name of the measure by which it divides users. */
export const GROUP_TITLES: Readonly<Record<UserGrouping, readonly [string, string]>> = {
  activity: ['Users by activity', 'Interactions'],
  taste: ['Users by taste', 'Share of popular items'],
};

/** Name of the group of users with from ≤ measure < to; the last group has no end. */
export function groupName(by: UserGrouping, from: number, to: Figure): string {
  if (by === 'taste') return `${percent(from)} to ${percent(isKnown(to) ? to : 1)}`;
  if (!isKnown(to)) return `${from} and more`;
  return from === 0 ? 'at most 1' : `${from} to ${to - 1}`;
}

/** Text for a contribution as a percentage of the whole gap. */
export function shareOfGap(contribution: Figure, gap: Figure): string {
  if (!isKnown(contribution) || !isKnown(gap) || gap === 0) return '–';
  return percent(contribution / gap);
}
