import type { MarginDrift } from '../../../propensity/learned/margin-drift.js';
import type { OtherKind, PropensityStamp } from '../../../propensity/learned/used-propensities.js';

/** What a window's numbers rest on where propensities come from a file. */
export interface PropensityFileReport extends PropensityStamp {
  /** End of the window minus the date of the file, ms; below 0 if the file saw what came later. */
  readonly ageMs: number;
  /** Rated pairs that the file has no P for, by what it does not know; each once. */
  readonly unknown: {
    readonly users: number;
    readonly items: number;
    /** Of nb; and pairs whose P is no number above 0. */
    readonly values: number;
  };
  /** Against what the file expects; null if it does not say that. */
  readonly drift: (MarginDrift & { readonly of: 'items' | 'values' }) | null;
  /** Beside the other kind, as of when the file was made; null if there was none. */
  readonly comparison: OtherKind | null;
}
