import type { AbOptions } from './ab/ab-options.js';

/** How lists are valued by requests. */
export interface ValueOptions {
  /** How long after its first list a request takes lists and rewards, event time, ms. */
  readonly horizonMs: number;
  /** Whether an arm is drawn for each request, or each user keeps one, where the log cannot tell. */
  readonly unit: 'auto' | 'request' | 'user';
  /** What a test of served lists is read with. */
  readonly test?: Pick<AbOptions, 'split' | 'earning' | 'hasOtherClicks'>;
  /** Models that are valued; all if left out. */
  readonly targets?: readonly string[] | undefined;
  /** ρ_max: no item is worth more where it is looked at. Without it there is no upper bound. */
  readonly mostReward?: number | undefined;
  /**
   * Whose chances are logged, where several models draw lists: each its own (left out), or those that
   * any of them shows an item.
   */
  readonly loggers?: 'one' | 'balanced' | undefined;
  /** λ, by which weights of `dros` are shrunk; without it there is no `dros`. */
  readonly shrinkage?: number | undefined;
  /** Model that the others are compared with; see `controlOf` for which it is without. */
  readonly control?: string | undefined;
  /** δ: a difference that is a smaller part of what the control earns does not matter. */
  readonly margin?: number;
  /** θ by rank, where it is known; it is fitted to what is kept if left out. */
  readonly theta?: readonly number[];
  /** Whether nothing was before the first request: then the first one of a user is the first of all. */
  readonly isWholeLog?: boolean;
  /** Whether values are judged by what makes them wrong, as they are if left out. */
  readonly isJudged?: boolean;
}
