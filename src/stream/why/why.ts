import {
  type Aggregation,
  type EstimatorName,
  type Metric,
  UNCORRECTED,
} from '../../estimators/names.js';
import {
  type GapPart,
  type GapParts,
  gapParts,
  type ItemPart,
} from '../../estimators/why/gap-parts.js';
import { type Placement, placementsOf } from '../../estimators/why/placements.js';
import type { NamedNumber } from '../../estimators/why/side.js';
import type { Interner } from '../../state/ids/interner.js';
import { numberOf } from '../../state/ids/number-of.js';
import type { KeptRows, KeptWindow } from './kept-rows.js';

/** Which gap is asked about. */
export interface GapQuestion {
  readonly window: string;
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
  readonly model: string;
  readonly estimator: EstimatorName;
  /** Another model: then it is the gap between the two under the estimator, else to uncorrected. */
  readonly against?: string | undefined;
  /** How many items to name. */
  readonly most: number;
}

/** An item's part of a gap, with what its weight comes from. */
export interface NamedItemPart extends Omit<ItemPart, 'item'> {
  readonly item: string;
  /** n that propensities are made from. */
  readonly count: number;
  /** n^−β, before any normalisation. */
  readonly weight: number;
}

/** Why two numbers differ. */
export interface GapReport extends Omit<GapParts, 'items' | 'rest'> {
  /** End of the pane that the numbers are of. */
  readonly paneEnd: number;
  /** The number, and the one that is taken from it. */
  readonly numbers: readonly [NamedNumber, NamedNumber];
  readonly items: readonly NamedItemPart[];
  readonly rest: GapPart & { readonly items: number };
}

/** Why there is no answer. */
export type WhyNot = 'no rows' | 'too large' | 'no such number';

/** Answers from the rows of the newest tick, in slices. */
export class Why {
  readonly #rows: KeptRows;
  readonly #items: Interner;

  constructor(rows: KeptRows, items: Interner) {
    this.#rows = rows;
    this.#items = items;
  }

  /** Another one where answers may differ. */
  get paneEnd(): number {
    return this.#rows.paneEnd;
  }

  /** Takes a gap apart, see `gapParts`. */
  *gap(asked: GapQuestion): Generator<void, GapReport | WhyNot> {
    const { window, model, estimator, against, most, metric, k, aggregation } = asked;
    const of = { metric, k, aggregation };
    const numbers: readonly [NamedNumber, NamedNumber] =
      against === undefined
        ? [
            { ...of, model, estimator: UNCORRECTED },
            { ...of, model, estimator },
          ]
        : [
            { ...of, model, estimator },
            { ...of, model: against, estimator },
          ];
    return yield* this.#steady(window, function* ({ job, extras }, name, paneEnd) {
      const parts = yield* gapParts(job, extras, numbers, most);
      if (parts === undefined) return 'no such number';
      const items = parts.items.map(({ item, ...own }) => ({
        ...{ item: name(item), ...own },
        ...{ count: job.counts.popularity[item], weight: job.columns.weight[item] },
      }));
      return { paneEnd, numbers, ...parts, items };
    });
  }

  /** Where each model ranked an item in a window, see `placementsOf`. */
  *placements(window: string, item: string): Generator<void, readonly Placement[] | WhyNot> {
    return yield* this.#steady(window, ({ job }) =>
      placementsOf(job.parts, job.models, numberOf(this.#items, item)),
    );
  }

  /** Works on what is kept; once more where a number may have become another id's meanwhile. */
  *#steady<T>(
    window: string,
    work: (kept: KeptWindow, name: (item: number) => string, paneEnd: number) => Generator<void, T>,
  ): Generator<void, T | WhyNot> {
    for (;;) {
      const { generation } = this.#items;
      const kept = this.#rows.of(window);
      if (kept === undefined) return 'no rows';
      if (kept === 'too large') return kept;
      const done = yield* work(kept, (item) => this.#items.text(item), kept.to);
      if (this.#rows.of(window) === kept || this.#items.generation === generation) return done;
    }
  }
}
