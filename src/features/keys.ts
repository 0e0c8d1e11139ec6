import type { Complete, Decoded, Report } from '../config/key.js';
import { checkRatings, completeRatings, RATINGS } from './ratings/keys.js';

/** Sections of the configuration, by feature. */
export const FEATURE_KEYS = { ratings: RATINGS } as const;

/** With what follows from other keys. */
export function completeFeatures(given: Decoded<typeof FEATURE_KEYS>) {
  return { ...completeRatings(given) };
}

type Checked = Complete<typeof FEATURE_KEYS> & {
  readonly estimates: { readonly metrics: readonly string[] };
};

/** Rules between keys of features, and with those of all. */
export function checkFeatures(complete: Checked, fault: Report): void {
  checkRatings(complete, fault);
}
