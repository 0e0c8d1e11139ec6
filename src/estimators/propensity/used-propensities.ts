import type { ComparedPropensities } from './compared-propensities.js';
import type { ExpectedMargins } from './expected-margins.js';
import type { LearnedPropensities } from './learned-propensities.js';
import type { PropensityModel } from './propensity-file.js';

/** What learned propensities say of themselves, for every output that rests on them. */
export interface PropensityStamp {
  readonly kind: PropensityModel['kind'];
  /** Of the content: the same events and choices give the same. */
  readonly version: string;
  /** Event time of the newest rating that they were learned from, ISO 8601. */
  readonly date: string;
}

/** What the other kind makes of the same ratings, where both could be learned. */
export type OtherKind = ComparedPropensities & { readonly with: PropensityModel['kind'] };

/** Learned propensities as they are used, with all that an output has to say of them. */
export interface UsedPropensities extends PropensityStamp {
  readonly learned: LearnedPropensities;
  /** Null if what they came from does not say. */
  readonly margins: ExpectedMargins | null;
  readonly comparison: OtherKind | null;
}

/**
 * Where learned propensities come from, for those who must not read files. They may be replaced
 * between two calls, never within what a call gave.
 */
export interface PropensitySource {
  current(): UsedPropensities;
}
