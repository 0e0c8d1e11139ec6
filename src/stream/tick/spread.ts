import {
  averagePopularity,
  levelConcentration,
  levelsOf,
  lorenzCurve,
} from '../../state/counts/levels.js';
import type { ItemCounts } from '../../state/panes/window-part.js';
import type { Concentration } from '../snapshot.js';

/** How counts spread over the catalogue. */
export interface Spread {
  readonly concentration: Concentration;
  readonly lorenz: readonly number[];
}

export function spreadOf(
  counts: Float64Array,
  { popularity, items }: ItemCounts,
  catalogueSize: number,
): Spread {
  const levels = levelsOf(counts, items);
  return {
    concentration: {
      ...levelConcentration(levels, catalogueSize),
      averagePopularity: averagePopularity(counts, popularity, items),
    },
    lorenz: lorenzCurve(levels, catalogueSize),
  };
}
