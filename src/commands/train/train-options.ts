import type { Config } from '../../config.js';
import type { Loss } from './factors.js';

/** Kinds of models that can be learned as a baseline. */
export const KINDS = ['popularity', 'user-knn', 'item-knn', 'ials', 'mf', 'mf-ips'] as const;
export type Kind = (typeof KINDS)[number];

const FACTORISED = ['factors', 'lambda', 'folds', 'sweeps', 'loss', 'seed'] as const;

/** Options that affect how each kind is learned; others would have no effect. */
export const LEARNED_BY = {
  popularity: [],
  'user-knn': ['neighbours'],
  'item-knn': ['neighbours'],
  ials: ['factors', 'lambda', 'sweeps', 'alpha', 'seed'],
  mf: FACTORISED,
  'mf-ips': FACTORISED,
} as const satisfies Readonly<Record<Kind, readonly string[]>>;

/** Training options; missing ones are chosen by cross-validation or have defaults. */
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
  /** Event file of the lists. */
  readonly out: string;
  /** Kind to learn, or file of a model that was learned before. */
  readonly from:
    | {
        readonly kind: Kind;
        readonly learning: LearningOptions;
      }
    | { readonly model: string };
  /** A source of propensities, or a file of them; undefined for kinds that need none. */
  readonly propensities?: string | undefined;
  /** Path for the model; undefined if it is not written. */
  readonly modelOut?: string | undefined;
  /** Name of the lists' model; by default the kind. */
  readonly name?: string | undefined;
  readonly listLength: number;
  /** Whether lists also rank items that the user has rated. */
  readonly keepsRated?: boolean | undefined;
  /** Event time of the lists, ms; by default that of the newest event. */
  readonly atMs?: number | undefined;
  readonly json: boolean;
}
