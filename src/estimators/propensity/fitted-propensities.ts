import { type LogisticModel, logistic, type PairFeatures, userLogits } from './logits.js';
import type { PairDesign } from './pair-design.js';

/**
 * Compute the fitted probability P that a pair is observed, for each pair in the order of the design.
 *
 * @example
 * const design = pairDesign([[0], []], 1);
 * const model = fitLogistic(design, { users: noColumns(2), items: noColumns(1) }, { l2: 0, offsets: 'none' });
 * fittedPropensities(model, { users: noColumns(2), items: noColumns(1) }, design); // [0.5, 0.5]
 */
export function fittedPropensities(
  model: LogisticModel,
  features: PairFeatures,
  design: PairDesign,
): Float64Array {
  const propensity = new Float64Array(design.item.length);
  for (let user = 0; user < design.users; user++) {
    const span = [design.start[user], design.start[user + 1]] as const;
    userLogits(model, features, user, design.item, span, propensity);
  }
  return propensity.map(logistic);
}
