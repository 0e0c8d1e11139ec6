import {
  itemWeights,
  type SingleWeights,
  userWeights,
} from '../../estimators/lanes/single-weights.js';
import { type StratifiedCounts, stratify } from '../../estimators/lanes/strata.js';
import {
  propensityExponent,
  unnormalizedPropensity,
} from '../../estimators/propensity/power-law.js';
import type { Pseudonyms } from '../../events/pseudonyms.js';
import type { Popularity } from '../../state/counts/popularity.js';
import { type Interner, numberOf } from '../../state/ids/interner.js';
import type { ClosedPanes } from '../../state/panes/closed-panes.js';
import type { NamedModel } from '../ids.js';
import { type MonitorOptions, pseudonymsOf } from '../options.js';
import { widened } from './item-counts.js';
import type { KeptRows } from './kept-rows.js';

/** Weight of an item with its inputs. Counts are over the popularity horizon. */
export interface ItemReport {
  readonly item: string;
  /** n_i, the count from which the propensity is computed. */
  readonly count: number;
  /** Interactions with the item, positive or not. */
  readonly interactions: number;
  /** Rank by count among the items with a count; 1 is the most popular. Null without a count. */
  readonly rank: number | null;
  /** By model: number of shown lists that contained the item, without randomised lists. */
  readonly exposures: Readonly<Record<string, number>>;
  readonly propensity: {
    readonly gamma: number;
    readonly beta: number;
    /** n^β. */
    readonly unnormalized: number;
    /** (n / n of the most popular item)^β. */
    readonly relative: number;
  };
  /** Unnormalised weight of one interaction with the item, by estimator. */
  readonly weights: SingleWeights;
  readonly stratum: number;
  readonly strata: number;
}

/** Weight of a user with its inputs. Counts are over the popularity horizon. */
export interface UserReport {
  readonly user: string;
  readonly partition: number;
  readonly count: number;
  readonly randomized: number;
  /** The user's fraction of all interactions. */
  readonly propensity: number;
  /** Factor by which the user changes the weight of an interaction, by estimator. */
  readonly weights: SingleWeights;
  /** Null, since only items have strata. */
  readonly stratum: null;
}

/** Counts of closed panes, for lookups of single items and users. */
export interface Counted {
  readonly popularity: Popularity;
  readonly models: readonly NamedModel[];
  /** Counts of users, by partition. */
  readonly users: ReadonlyMap<number, Pick<ClosedPanes, 'userCounts' | 'randomizedCounts'>>;
}

/** Lookup of single items and users in the closed panes, to explain weights. No estimate uses it. */
export class Lookup {
  readonly #panes: { readonly counted: Counted };
  readonly #users: ReadonlyMap<number, Interner>;
  readonly #options: MonitorOptions;
  readonly #pseudonyms: Pseudonyms | undefined;
  readonly items: Interner;
  /** Rows behind the numbers of the newest tick. */
  readonly rows: KeptRows;

  constructor(
    panes: { readonly counted: Counted },
    items: Interner,
    users: ReadonlyMap<number, Interner>,
    options: MonitorOptions,
    rows: KeptRows,
  ) {
    this.rows = rows;
    this.#panes = panes;
    this.items = items;
    this.#users = users;
    this.#options = options;
    this.#pseudonyms = pseudonymsOf(options);
  }

  /**
   * Report the weight of an item, by its id.
   *
   * @param gamma γ of the newest snapshot.
   * @returns undefined for an item that no closed pane of the horizon has counted. O(items).
   */
  item(name: string, gamma: number): ItemReport | undefined {
    const { popularity, models } = this.#panes.counted;
    const item = numberOf(this.items, name);
    if (item < 0 || !popularity.isInCatalogue(item)) return undefined;
    const { estimates } = this.#options;
    const beta = propensityExponent(gamma);
    const size = this.items.size;
    const counts = widened(popularity.popularity().counts, size);
    const interactions = popularity.interactions.counts[item] ?? 0;
    const exposures: Record<string, number> = Object.create(null);
    for (const { name: model, id } of models) {
      exposures[model] = id < popularity.models ? (popularity.exposures(id).counts[item] ?? 0) : 0;
    }
    const asked: StratifiedCounts = {
      items: size,
      popularity: counts,
      compareIds: this.#compare,
    };
    const strata = stratify(asked, estimates.strataScheme, estimates.strata, beta);
    const { most, above } = standing(counts, item);
    const n = counts[item];
    return {
      item: name,
      count: n,
      interactions,
      rank: n > 0 ? above + 1 : null,
      exposures,
      propensity: {
        gamma,
        beta,
        unnormalized: unnormalizedPropensity(n, beta),
        relative: most > 0 ? unnormalizedPropensity(n / most, beta) : 0,
      },
      weights: itemWeights(n, interactions, beta, estimates),
      stratum: strata[item],
      strata: estimates.strata,
    };
  }

  /**
   * Report the weight of a user.
   *
   * @param id id of a user, or a pseudonym; the report has the pseudonym if users have one
   * @returns undefined for a user without interactions in this process's partitions.
   */
  user(id: string): UserReport | undefined {
    for (const name of this.#pseudonyms?.every(id) ?? [id]) {
      const found = this.#userNamed(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #userNamed(name: string): UserReport | undefined {
    const { popularity, users } = this.#panes.counted;
    for (const [partition, table] of this.#users) {
      const user = numberOf(table, name);
      const state = users.get(partition);
      if (user < 0 || state === undefined) continue;
      const count = state.userCounts.counts[user] ?? 0;
      // Whether a user without interactions is still known depends on when ids were last forgotten.
      if (count === 0) return undefined;
      let total = 0;
      for (const n of popularity.interactions.counts) {
        total += n;
      }
      return {
        user: name,
        partition,
        count,
        randomized: state.randomizedCounts.counts[user] ?? 0,
        propensity: count / total,
        weights: userWeights(count, this.#options.estimates),
        stratum: null,
      };
    }
    return undefined;
  }

  readonly #compare = (a: number, b: number): number => this.items.compare(a, b);
}

/** The largest count, and the number of items whose count is larger than that of this item. */
function standing(
  counts: Float64Array,
  item: number,
): {
  most: number;
  above: number;
} {
  let most = 0;
  let above = 0;
  for (const n of counts) {
    if (n > most) {
      most = n;
    }
    if (n > counts[item]) {
      above++;
    }
  }
  return { most, above };
}
