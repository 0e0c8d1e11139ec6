import type { AbOptions } from './ab/ab-options.js';

/** Options of reward per request. */
export interface ValueOptions {
  /** How long a request collects lists and rewards after its first list, event time in ms. */
  readonly horizonMs: number;
  /** Unit of randomisation if the log does not show it. */
  readonly unit: 'auto' | 'request' | 'user';
  /** Options of the A/B test from served lists. */
  readonly test?: Pick<AbOptions, 'split' | 'earning' | 'hasOtherClicks'>;
  /** Models to evaluate; all by default. */
  readonly targets?: readonly string[] | undefined;
  /** ρ_max, the largest reward of an examined item. Without it there is no upper bound. */
  readonly mostReward?: number | undefined;
  /** Which propensities weight requests of several loggers: each logger's own (by default), or the mixture of all. */
  readonly loggers?: 'one' | 'balanced' | undefined;
  /** λ, the shrinkage of weights of `dros`, which needs it. */
  readonly shrinkage?: number | undefined;
  /** Reference model of comparisons; `controlOf` chooses one by default. */
  readonly control?: string | undefined;
  /** δ, the margin: smaller differences, relative to the control's reward, do not matter. */
  readonly margin?: number;
  /** θ by rank, if configured; otherwise it is fitted to the stored requests. */
  readonly theta?: readonly number[];
  /** Whether the log starts with the first event, so that a user's first request is really the first. */
  readonly isWholeLog?: boolean;
  /** Whether objections to values are checked; true by default. */
  readonly isJudged?: boolean;
}
