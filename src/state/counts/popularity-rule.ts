import { NAMES_EXPOSURE, POSITIVE, RANDOMIZED } from '../../events/columns.js';

/**
 * How interactions from randomised traffic count in popularity. `ignore`: not at all, since they
 * say nothing about organic interactions.
 */
export const RANDOMIZED_POPULARITY = ['count', 'ignore'] as const;
export type RandomizedPopularity = (typeof RANDOMIZED_POPULARITY)[number];

/** `ignore`: what a shown list led to says how often the list was shown, and not what users seek. */
export const CAUSED_POPULARITY = ['count', 'ignore'] as const;
export type CausedPopularity = (typeof CAUSED_POPULARITY)[number];

/** Which interactions make an item popular. */
export interface PopularityRule {
  readonly of: 'positive' | 'all';
  /** Whether those from randomised traffic count; `count` by default. */
  readonly randomized?: RandomizedPopularity | undefined;
  /**
   * Whether others that give the id of a served list count; `count` by default. Interactions with a
   * randomised list belong to randomised traffic.
   */
  readonly caused?: CausedPopularity | undefined;
  /** Of one user at most this many in a stretch of the longest window's length; 0, or nothing, sets no limit. */
  readonly userCap?: number | undefined;
}

/** Whether positives of randomised traffic are counted apart. */
export function countsRandomizedApart({ randomized }: PopularityRule): boolean {
  return randomized === 'ignore';
}

/** Whether the interactions of a user are capped. */
export function isCapped({ userCap = 0 }: PopularityRule): boolean {
  return userCap > 0;
}

/** Whether interactions may be left out for another reason than that they are randomised. */
export function leavesOut(rule: PopularityRule): boolean {
  return rule.caused === 'ignore' || isCapped(rule);
}

/** Whether some interactions of a kind that counts are left out. */
export function isDivided(rule: PopularityRule): boolean {
  return countsRandomizedApart(rule) || leavesOut(rule);
}

/** Whether every interaction of any value makes its item popular. */
export function takesAll(rule: PopularityRule): boolean {
  return rule.of === 'all' && !isDivided(rule);
}

/** By the flags of an interaction: of no kind that counts, left out, or one that counts. */
export function judgedBy(rule: PopularityRule, flags: number): 'none' | 'left out' | 'counts' {
  if (rule.of === 'positive' && (flags & POSITIVE) === 0) return 'none';
  const isRandomized = (flags & RANDOMIZED) !== 0;
  if (isRandomized && rule.randomized === 'ignore') return 'none';
  const isCaused = !isRandomized && (flags & NAMES_EXPOSURE) !== 0;
  return isCaused && rule.caused === 'ignore' ? 'left out' : 'counts';
}

/** Whether it matters which list an interaction names. */
export function asksOfLists(rule: PopularityRule): boolean {
  return countsRandomizedApart(rule) || rule.caused === 'ignore';
}
