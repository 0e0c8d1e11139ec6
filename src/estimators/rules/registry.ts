import type { Estimator, Intervention } from './estimator.js';
import { full } from './full.js';
import { gs } from './gs.js';
import { ips } from './ips.js';
import { naive } from './naive.js';
import { reg } from './reg.js';
import { skew } from './skew.js';
import { snips } from './snips.js';
import { ure } from './ure.js';
import { wtd } from './wtd.js';
import { wtd_h } from './wtd-h.js';
import { wtd_ipf } from './wtd-ipf.js';

const DRAWING = {
  full,
  reg,
  skew,
  wtd,
  wtd_h,
  wtd_ipf,
} as const satisfies Readonly<Record<string, Intervention>>;

/** Every estimator, in the order that lists and messages use. Labels and JSON use these names. */
const ENTRIES = {
  naive,
  ips,
  snips,
  gs,
  ...DRAWING,
  ure,
} as const satisfies Readonly<Record<string, Estimator>>;

export type EstimatorName = keyof typeof ENTRIES;

/** Estimators that draw a test set from the rows; their value is the expectation over draws. */
export type InterventionName = keyof typeof DRAWING;

/** Known estimators that are not implemented, with the reason. */
export const REFUSED_ESTIMATORS: Readonly<Record<string, string>> = {
  dr: 'needs a predicted error for every pair of user and item, rated or not, which events do not carry; use `doublyRobustRating` of the library',
};

export const ESTIMATORS = Object.keys(ENTRIES) as EstimatorName[];

/** Estimators that are computed by default. */
export const DEFAULT_ESTIMATORS = ESTIMATORS.filter((name) => estimatorOf(name).isDefault);

export function estimatorOf<Name extends EstimatorName>(name: Name): (typeof ENTRIES)[Name] {
  return ENTRIES[name];
}

export function interventionOf(name: InterventionName): Intervention {
  return DRAWING[name];
}

export function isIntervention(name: EstimatorName): name is InterventionName {
  return Object.hasOwn(DRAWING, name);
}
