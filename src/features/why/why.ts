import {
  type Aggregation,
  type EstimatorName,
  type Metric,
  UNCORRECTED,
} from '../../estimators/names.js';
import { type Interner, numberOf } from '../../state/ids/interner.js';
import { NOT_IN_LIST, UNRANKED, type WindowPart } from '../../state/panes/window-part.js';
import type { KeptRows, KeptWindow } from '../../stream/tick/kept-rows.js';
import type { Lookup } from '../../stream/tick/lookup.js';
import { type GapPart, type GapParts, gapParts, type ItemPart } from './gap-parts.js';
import type { ItemLists } from './schema.js';
import type { NamedNumber } from './side.js';

/** Positions at which a model ranked an item, for the users who interacted with it. */
export interface Placement {
  readonly model: string;
  /** Number of positive interactions with the item by users who had a list of the model. */
  readonly rows: number;
  /** Number of these interactions for which the user's list contained the item. */
  readonly listed: number;
  /** Best rank of the item in these users' lists, from 1; null if no list contained it. */
  readonly bestRank: number | null;
  /** Median rank of the item in these users' lists, from 1; null if no list contained it. */
  readonly medianRank: number | null;
}

/**
 * Find the positions at which each model ranked an item, over the positive interactions of a
 * window. O(rows).
 *
 * @param item dense item number. @param models names, in the order of the part's `ranks`.
 */
export function placementsOf(
  part: WindowPart,
  models: readonly string[],
  item: number,
): Placement[] {
  const ranks: number[][] = models.map(() => []);
  const rows = models.map(() => 0);
  for (let r = 0; r < part.rows; r++) {
    if (part.item[r] !== item || part.positive[r] === 0) continue;
    for (let m = 0; m < models.length; m++) {
      const rank = part.ranks[m][r];
      if (rank === UNRANKED) continue;
      rows[m]++;
      if (rank !== NOT_IN_LIST) {
        ranks[m].push(rank + 1);
      }
    }
  }
  return models.map((model, m) => {
    const own = ranks[m].sort((a, b) => a - b);
    const [bestRank = null] = own;
    const medianRank = own[Math.floor((own.length - 1) / 2)] ?? null;
    return {
      model,
      rows: rows[m],
      listed: own.length,
      bestRank,
      medianRank,
    };
  });
}

/** Which gap to explain. */
export interface GapQuestion {
  readonly window: string;
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
  readonly model: string;
  readonly estimator: EstimatorName;
  /**
   * Second model, for the gap between the two models by the estimator; undefined for the gap
   * between the model's uncorrected and corrected value.
   */
  readonly against?: string | undefined;
  /** Maximum number of items to name. */
  readonly most: number;
}

/** An item's contribution to a gap, with the count and weight behind it. */
export interface NamedItemPart extends Omit<ItemPart, 'item'> {
  readonly item: string;
  /** Count n of the item, from which its propensity is computed. */
  readonly count: number;
  /** Weight n^−β of the item, before normalisation. */
  readonly weight: number;
}

/** A gap between two estimates, decomposed by items and groups of users. */
export interface GapReport extends Omit<GapParts, 'items' | 'rest'> {
  /** End of the pane of the estimates, event time, ms. */
  readonly paneEnd: number;
  /** The first estimate, and the one subtracted from it. */
  readonly numbers: readonly [NamedNumber, NamedNumber];
  readonly items: readonly NamedItemPart[];
  readonly rest: GapPart & { readonly items: number };
}

/** Why there is no answer. */
export type WhyNot = 'no rows' | 'too large' | 'no such number';

/** Answers questions about gaps and about positions of items, from the rows of the newest tick. */
export class Why {
  readonly #rows: KeptRows;
  readonly #items: Interner;

  constructor({
    rows,
    items,
  }: {
    readonly rows: KeptRows;
    readonly items: Interner;
  }) {
    this.#rows = rows;
    this.#items = items;
  }

  /** End of the pane that the rows are from, event time, ms. Answers change only when it does. */
  get paneEnd(): number {
    return this.#rows.paneEnd;
  }

  /** Decompose a gap; see `gapParts`. */
  gap(asked: GapQuestion): GapReport | WhyNot {
    const { window, model, estimator, against, most, metric, k, aggregation } = asked;
    const of = {
      metric,
      k,
      aggregation,
    };
    const numbers: readonly [NamedNumber, NamedNumber] =
      against === undefined
        ? [
            {
              ...of,
              model,
              estimator: UNCORRECTED,
            },
            {
              ...of,
              model,
              estimator,
            },
          ]
        : [
            {
              ...of,
              model,
              estimator,
            },
            {
              ...of,
              model: against,
              estimator,
            },
          ];
    const kept = this.#kept(window);
    if (typeof kept === 'string') return kept;
    const { job, to } = kept;
    const parts = gapParts(job, numbers, most);
    if (parts === undefined) return 'no such number';
    const items = parts.items.map(({ item, ...own }) => ({
      item: this.#items.text(item),
      ...own,
      count: job.counts.popularity[item],
      weight: job.columns.weight[item],
    }));
    return {
      paneEnd: to,
      numbers,
      ...parts,
      items,
    };
  }

  /** Find the positions at which each model ranked an item in a window, see `placementsOf`. */
  placements(window: string, item: string): readonly Placement[] | WhyNot {
    const kept = this.#kept(window);
    if (typeof kept === 'string') return kept;
    const { part, models } = kept.job;
    return placementsOf(part, models, numberOf(this.#items, item));
  }

  #kept(window: string): KeptWindow | WhyNot {
    return this.#rows.of(window) ?? 'no rows';
  }
}

/** Decompose a gap, see `gapParts`. */
export function gapReport(source: Lookup, question: GapQuestion): GapReport | WhyNot {
  return new Why(source).gap(question);
}

/**
 * Find the positions at which each model ranked an item; null if this process does not have the
 * rows.
 */
export function itemLists(
  source: Lookup,
  window: string,
  item: string,
): { readonly lists: ItemLists } {
  const models = new Why(source).placements(window, item);
  return { lists: typeof models === 'string' ? null : { window, models } };
}
