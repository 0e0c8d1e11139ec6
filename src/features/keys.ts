import type { Complete, Report } from '../config/key.js';
import { checkRatings, RATINGS } from './ratings/keys.js';

/** Sections of the configuration, by feature. */
export const FEATURE_KEYS = { ratings: RATINGS } as const;

type Checked = Complete<typeof FEATURE_KEYS> & {
  readonly estimates: { readonly metrics: readonly string[] };
};

/** Rules between keys of features, and with those of all. */
export function checkFeatures(complete: Checked, fault: Report): void {
  checkRatings(complete, fault);
}
