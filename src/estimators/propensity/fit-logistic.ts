import { UnskewError } from '../../errors.js';
import { maximise } from './ascent.js';
import type { LogisticFit } from './logistic-model.js';
import type { PairFeatures } from './logits.js';
import type { PairDesign } from './pair-design.js';
import type { Regression } from './pairs-at-model.js';

/** Which sides have an offset for each of theirs. */
export const OFFSETS = ['none', 'users', 'items', 'both'] as const;
export type Offsets = (typeof OFFSETS)[number];

export interface LogisticOptions {
  /** Strength of the ridge on W; without unit. */
  readonly l2: number;
  readonly offsets: Offsets;
}

/** Parameters that are solved for at once: more would take minutes, and gigabytes. */
const MOST_PARAMETERS = 4000;

/**
 * Propensity of each pair to be observed, by logistic regression on features and offsets.
 *
 * P(O_ui = 1) = σ(c + x_uᵀ W z_i + γ_u + β_i), σ the logistic function; minimised is
 * −Σ [O ln P + (1 − O) ln(1 − P)] + (l2 / 2) ‖W‖² by Newton's method from c = logit(ΣO / pairs).
 * On a sample of the negatives the logit is lowered by ln q while it is fitted, so that P holds for
 * all pairs. Since c, γ and β are not penalised, ΣP = ΣO in all, for each user and for each item
 * (all pairs, offsets); c, γ and β are collinear, so γ and β have a ridge of 1e-6.
 * Source: Schnabel et al. 2016, section 5.2 (their eq. 19 has the features of a pair for x_uᵀ W z_i).
 *
 * Bias: none, if what decides on being observed are these features and offsets alone, and they act
 * on the logit in this form. What depends on the rating itself is not corrected for.
 * Time for a step: pairs × (named features)² + size³ / 6, size = 1 + features of users × of items +
 * offsets of the smaller side.
 *
 * @param design pairs. @param features x_u and z_i, none for offsets alone.
 * @throws UnskewError USAGE if a side's features are not of its size, if nothing or everything is
 * observed, or if there are more than 4,000 parameters; FIT if the system is singular, or if there
 * is no maximum.
 * @example
 * // two of ten users without the feature rated the item, three of five with it
 * const rated = (n, of) => Array.from({ length: of }, (_, user) => (user < n ? [0] : []));
 * const design = pairDesign([...rated(2, 10), ...rated(3, 5)], 1);
 * const has = Array.from({ length: 15 }, (_, user) => [user < 10 ? 0 : 1]);
 * const features = { users: sparseRows(has), items: onesColumn(1) };
 * fitLogistic(design, features, { l2: 0, offsets: 'none' }).intercept; // Math.log(0.25)
 */
export function fitLogistic(
  design: PairDesign,
  features: PairFeatures,
  { l2, offsets }: LogisticOptions,
): LogisticFit {
  check(design, features);
  // The offsets of one side are eliminated at no cost: those that are more.
  const isTurned = offsets === 'items' || (offsets === 'both' && design.items > design.users);
  const turned = isTurned ? transposedDesign(design) : design;
  const regression: Regression = {
    design: turned,
    features: isTurned ? { users: features.items, items: features.users } : features,
    l2,
    hasUserOffsets: offsets !== 'none',
    hasItemOffsets: offsets === 'both',
  };
  checkSize(regression);
  const fit = maximise(regression);
  if (!isTurned) return fit;
  return {
    ...fit,
    weights: transposedMatrix(fit.weights, features.users.width),
    userOffsets: fit.itemOffsets,
    itemOffsets: fit.userOffsets,
  };
}

function check(design: PairDesign, features: PairFeatures): void {
  for (const [side, count] of [
    ['users', design.users] as const,
    ['items', design.items] as const,
  ]) {
    const rows = features[side].start.length - 1;
    if (rows === count) continue;
    throw new UnskewError('USAGE', `${count} ${side} need a row of features each, not ${rows}`);
  }
  const observed = design.isObserved.reduce((sum, one) => sum + one, 0);
  if (observed > 0 && observed < design.isObserved.length) return;
  const what = observed === 0 ? 'no pair is observed' : 'every pair is observed';
  throw new UnskewError('USAGE', `${what}: there is nothing to learn propensities from`);
}

function checkSize({ design, features, hasItemOffsets }: Regression): void {
  const crosses = features.users.width * features.items.width;
  const size = 1 + crosses + (hasItemOffsets ? design.items : 0);
  if (size <= MOST_PARAMETERS) return;
  throw new UnskewError(
    'USAGE',
    `the regression has ${size} parameters, at most ${MOST_PARAMETERS}: give fewer features (users' × items': ${crosses}) or offsets of one side only`,
  );
}

/** The same pairs, with users and items in each other's role. */
function transposedDesign(design: PairDesign): PairDesign {
  const { users, items } = design;
  const start = new Int32Array(items + 1);
  for (const item of design.item) start[item + 1]++;
  for (let item = 0; item < items; item++) start[item + 1] += start[item];
  const next = start.slice();
  const item = new Int32Array(design.item.length);
  const isObserved = new Uint8Array(design.item.length);
  for (let user = 0; user < users; user++) {
    for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
      const place = next[design.item[pair]]++;
      item[place] = user;
      isObserved[place] = design.isObserved[pair];
    }
  }
  return { users: items, items: users, start, item, isObserved, rate: design.rate };
}

/** A matrix with its rows as columns. @param columns of the given one. */
function transposedMatrix(values: Float64Array, columns: number): Float64Array {
  const rows = columns === 0 ? 0 : values.length / columns;
  return Float64Array.from(
    values,
    (_, place) => values[(place % rows) * columns + Math.floor(place / rows)],
  );
}
