import { NAMES_EXPOSURE, POSITIVE, RANDOMIZED } from '../../events/columns.js';

/**
 * How interactions from randomised traffic count towards popularity. With `ignore` they do not
 * count, since they say nothing about organic interactions.
 */
export const RANDOMIZED_POPULARITY = ['count', 'ignore'] as const;
export type RandomizedPopularity = (typeof RANDOMIZED_POPULARITY)[number];

/**
 * How interactions driven by shown lists count towards popularity. With `ignore` they do not count,
 * since they reflect how often items were shown.
 */
export const CAUSED_POPULARITY = ['count', 'ignore'] as const;
export type CausedPopularity = (typeof CAUSED_POPULARITY)[number];

/** Rule for which interactions count towards an item's popularity. */
export interface PopularityRule {
  readonly of: 'positive' | 'all';
  /** Whether interactions from randomised traffic count; `count` by default. */
  readonly randomized?: RandomizedPopularity | undefined;
  /**
   * Whether interactions with the id of a served list count; `count` by default. Interactions with
   * the id of a randomised list are not meant: they belong to randomised traffic.
   */
  readonly caused?: CausedPopularity | undefined;
  /**
   * Maximum number of interactions of one user that count, in each period as long as the longest
   * window. 0 or undefined sets no limit.
   */
  readonly userCap?: number | undefined;
}

/** Whether positives of randomised traffic are counted separately. */
export function countsRandomizedApart({ randomized }: PopularityRule): boolean {
  return randomized === 'ignore';
}

/** Whether the interactions of a user are capped. */
export function isCapped({ userCap = 0 }: PopularityRule): boolean {
  return userCap > 0;
}

/** Whether the rule may exclude interactions for another reason than that they are randomised. */
export function leavesOut(rule: PopularityRule): boolean {
  return rule.caused === 'ignore' || isCapped(rule);
}

/** Whether the rule excludes any interactions of the kind that it counts (`of`). */
export function isDivided(rule: PopularityRule): boolean {
  return countsRandomizedApart(rule) || leavesOut(rule);
}

/** Whether every interaction of any value makes its item popular. */
export function takesAll(rule: PopularityRule): boolean {
  return rule.of === 'all' && !isDivided(rule);
}

/**
 * Judge an interaction by its flags. `none`: it is not of the counted kind, or it is randomised and
 * the rule ignores randomised traffic. `left out`: it is driven by a list and the rule ignores such
 * interactions. `counts`: any other interaction.
 */
export function judgedBy(rule: PopularityRule, flags: number): 'none' | 'left out' | 'counts' {
  if (rule.of === 'positive' && (flags & POSITIVE) === 0) return 'none';
  const isRandomized = (flags & RANDOMIZED) !== 0;
  if (isRandomized && rule.randomized === 'ignore') return 'none';
  const isCaused = !isRandomized && (flags & NAMES_EXPOSURE) !== 0;
  return isCaused && rule.caused === 'ignore' ? 'left out' : 'counts';
}

/** Whether the rule can only judge an interaction once its attributed list is known. */
export function asksOfLists(rule: PopularityRule): boolean {
  return countsRandomizedApart(rule) || rule.caused === 'ignore';
}
