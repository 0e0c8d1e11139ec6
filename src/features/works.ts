import type { EarningAction } from '../state/panes/experiment-events.js';
import type { FeatureOptions } from '../stream/feature-types.js';
import { ON_POLICY_WORK, rewardReadings } from './on-policy/work.js';
import { RATINGS_WORK, ratingReadings } from './ratings/work.js';
import type { ReadingsOf } from './reading.js';
import { VALUES_WORK, valueReadings } from './values/work.js';
import type { AskedOptions, FeatureWork } from './work.js';

/** Computations of features, in the order in which they process a window. */
export const WORKS: readonly FeatureWork[] = [RATINGS_WORK, ON_POLICY_WORK, VALUES_WORK];

/**
 * Functions that compute readings for the change detectors. Those of rewards (`worth`) run before
 * the readings of estimates, the `others` after them.
 */
export const READINGS: Readonly<Record<'worth' | 'others', readonly ReadingsOf[]>> = {
  worth: [rewardReadings, valueReadings],
  others: [ratingReadings],
};

/** Whether a configured feature reads an optional column of rows. */
export function asksColumn(options: AskedOptions, column: 'rated'): boolean {
  return WORKS.some((own) => own.columns?.includes(column) && own.isAsked(options));
}

/** How long requests collect lists and rewards, ms; undefined if no feature uses requests. */
export function joinedRequests(
  options: FeatureOptions,
): { readonly horizonMs: number } | undefined {
  const horizons = WORKS.flatMap((own) => own.requestHorizonMs?.(options) ?? []);
  return horizons.length === 0 ? undefined : { horizonMs: Math.max(...horizons) };
}

/** The action whose reward an A/B test compares; undefined if no feature looks for a test. */
export function experimentAsked(
  options: FeatureOptions,
): { readonly earning: EarningAction | undefined } | undefined {
  return WORKS.map((own) => own.experiment?.(options)).find((asked) => asked !== undefined);
}
