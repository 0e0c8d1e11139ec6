import { Random } from '../mathematics/random.js';
import { fitLogistic, type LogisticOptions } from './fit-logistic.js';
import { logLoss, type PairFeatures, userLogits } from './logits.js';
import type { PairDesign } from './pair-design.js';

/** Predictive score of a ridge penalty on held-out pairs. */
export interface RidgeScore {
  readonly l2: number;
  /** Mean of ln P(o) over all pairs (nats), each predicted from the other folds. */
  readonly logLikelihood: number;
}

export interface ValidationOptions {
  readonly offsets: LogisticOptions['offsets'];
  readonly folds: number;
  /** Seed of the assignment of pairs to folds. */
  readonly seed: number;
}

/**
 * Compute the cross-validated log-likelihood of `fitLogistic` for several ridge penalties.
 *
 * (1 / pairs) Σ_f Σ_{pairs in f} ln P_{−f}(o), P_{−f} fitted without fold f; pairs are assigned to
 * folds at random. A negative sampled at rate q counts 1 / q.
 * Source: Stone 1974 (cross-validatory choice), with the log score.
 *
 * @param strengths l2 to try. @returns one score for each, in their order.
 * @throws as `fitLogistic`.
 * @example
 * const design = pairDesign([[0], [1], [0], [1]], 2);
 * const features = { users: onesColumn(4), items: onesColumn(2) };
 * const options = { offsets: 'none', folds: 2, seed: 1 };
 * crossValidate(design, features, [1000], options)[0].l2; // 1000
 */
export function crossValidate(
  design: PairDesign,
  features: PairFeatures,
  strengths: readonly number[],
  { offsets, folds, seed }: ValidationOptions,
): RidgeScore[] {
  const random = new Random(seed, 'folds');
  const fold = Uint8Array.from(design.item, () => random.below(folds));
  const training = Array.from({ length: folds }, (_, f) => without(design, fold, f));
  return strengths.map((l2) => {
    let loss = 0;
    let pairs = 0;
    training.forEach((part, f) => {
      const heldOut = lossOf(
        design,
        features,
        fold,
        f,
        fitLogistic(part, features, { l2, offsets }),
      );
      loss += heldOut.loss;
      pairs += heldOut.pairs;
    });
    return {
      l2,
      logLikelihood: -loss / pairs,
    };
  });
}

function without(design: PairDesign, fold: Uint8Array, left: number): PairDesign {
  const start = new Int32Array(design.users + 1);
  for (let user = 0; user < design.users; user++) {
    start[user + 1] = start[user];
    for (let pair = design.start[user]; pair < design.start[user + 1]; pair++) {
      if (fold[pair] !== left) {
        start[user + 1]++;
      }
    }
  }
  const stays = (_: number, pair: number) => fold[pair] !== left;
  return {
    ...design,
    start,
    item: design.item.filter(stays),
    isObserved: design.isObserved.filter(stays),
  };
}

function lossOf(
  design: PairDesign,
  features: PairFeatures,
  fold: Uint8Array,
  of: number,
  model: Parameters<typeof userLogits>[0],
) {
  const logits = new Float64Array(design.item.length);
  let loss = 0;
  let pairs = 0;
  for (let user = 0; user < design.users; user++) {
    const span = [design.start[user], design.start[user + 1]] as const;
    userLogits(model, features, user, design.item, span, logits);
    for (let pair = span[0]; pair < span[1]; pair++) {
      if (fold[pair] !== of) continue;
      const weight = design.isObserved[pair] === 1 ? 1 : 1 / design.rate;
      loss += weight * logLoss(logits[pair], design.isObserved[pair]);
      pairs += weight;
    }
  }
  return { loss, pairs };
}
