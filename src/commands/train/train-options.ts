import type { Config } from '../../config.js';
import type { Loss } from './factors.js';

/** Kinds of models that `unskew train` can learn as a baseline. */
export const KINDS = ['popularity', 'user-knn', 'item-knn', 'ials', 'mf', 'mf-ips'] as const;
export type Kind = (typeof KINDS)[number];

const FACTORISED = ['factors', 'lambda', 'folds', 'sweeps', 'loss', 'seed'] as const;

/** Options that affect the training of each kind; any other option is rejected. */
export const LEARNED_BY = {
  popularity: [],
  'user-knn': ['neighbours'],
  'item-knn': ['neighbours'],
  ials: ['factors', 'lambda', 'sweeps', 'alpha', 'seed'],
  mf: FACTORISED,
  'mf-ips': FACTORISED,
} as const satisfies Readonly<Record<Kind, readonly string[]>>;

/** Training options. Missing ones are chosen by cross-validation or have defaults. */
export interface LearningOptions {
  readonly seed: number;
  readonly factors?: number | undefined;
  readonly lambda?: number | undefined;
  readonly folds?: number | undefined;
  readonly sweeps?: number | undefined;
  readonly loss?: Loss | undefined;
  readonly neighbours?: number | undefined;
  readonly alpha?: number | undefined;
}

export interface TrainOptions {
  readonly events: readonly string[];
  readonly config: Config;
  readonly maxFaults: number;
  /** Path of the event file for the lists. */
  readonly out: string;
  /** Kind of model to train, or path of a trained model. */
  readonly from:
    | {
        readonly kind: Kind;
        readonly learning: LearningOptions;
      }
    | { readonly model: string };
  /**
   * Name of a propensity source, or path of a propensities file; undefined for equal propensities.
   */
  readonly propensities?: string | undefined;
  /** Path of the file for the trained model; undefined if it is not written. */
  readonly modelOut?: string | undefined;
  /** Model name in the list events; by default the kind. */
  readonly name?: string | undefined;
  readonly listLength: number;
  /** Whether lists may contain items that the user has already rated. */
  readonly keepsRated?: boolean | undefined;
  /** Event time of the lists, ms; by default that of the newest event. */
  readonly atMs?: number | undefined;
  readonly json: boolean;
}
