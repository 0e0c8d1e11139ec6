import type { PackedPropensities } from './packed-propensities.js';
import type { PropensityModel } from './propensity-file.js';

/** How many ratings of what learned propensities expect, up to a common factor. */
export interface ExpectedMargins {
  /** lr: by item; nb: by the value of the rating. */
  readonly of: 'items' | 'values';
  /** ΣP by place. */
  readonly sums: Float64Array;
  /**
   * Place of a rated pair. @param item number, as `LearnedPropensities` has it.
   * @returns −1 for an item or a value that nothing was learned of.
   */
  placeOf(item: number, rating: number): number;
}

/**
 * What the margins of the ratings are, if the propensities still hold.
 *
 * lr: ΣP_ui over the users of the file, by item. nb: P(O | r) says nothing of single items, but
 * ΣP over the pairs of a value r is n_r, the chosen ratings of that value.
 * Source: the score equations of the regression; Schnabel et al. 2016, eq. 17.
 *
 * @returns null for a file from before the sums were kept. O(items).
 * @example
 * const values = [{ rating: 1, chosen: 2, random: 3, propensity: 0.03 }];
 * expectedMargins({ kind: 'nb', smoothing: 1, values })?.placeOf(0, 1); // 0
 */
export function expectedMargins(
  model: PropensityModel | PackedPropensities,
): ExpectedMargins | null {
  if (model.kind === 'nb') {
    // Rated rows keep ratings in four bytes.
    const places = new Map(model.values.map(({ rating }, place) => [Math.fround(rating), place]));
    return {
      of: 'values',
      sums: Float64Array.from(model.values, ({ chosen }) => chosen),
      placeOf: (_item, rating) => places.get(Math.fround(rating)) ?? -1,
    };
  }
  if (model.itemSums === undefined) return null;
  return { of: 'items', sums: Float64Array.from(model.itemSums), placeOf: (item) => item };
}
