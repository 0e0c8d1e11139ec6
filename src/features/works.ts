import type { FeatureOptions } from '../stream/feature-types.js';
import { RATINGS_WORK } from './ratings/work.js';
import type { FeatureWork } from './work.js';

/** In the order in which they work on a window. */
export const WORKS: readonly FeatureWork[] = [RATINGS_WORK];

/** Whether a feature that is asked for reads columns that not all rows have. */
export function asksColumn(options: FeatureOptions, column: 'rated'): boolean {
  return WORKS.some((own) => own.columns?.includes(column) && own.isAsked(options));
}
