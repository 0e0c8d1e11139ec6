import type { Manifest } from '../../export/manifest.js';
import { decimal, whole } from '../../rows/figures.js';
import { fileWords } from '../../rows/findings/propensities.js';

/** Summarise an exported test set in a few lines of text. */
export function setLines({ plan, counts, weights, items, users, files }: Manifest, out: string) {
  const { train, test, randomized } = counts.pairs;
  const lines = [
    `${whole(counts.events)} events, ${whole(counts.interactions)} interactions in the range`,
    `${whole(train)} pairs for training, ${whole(test)} held out${randomized > 0 ? `, ${whole(randomized)} randomised` : ''}`,
    `${plan.strategy}: ${whole(counts.drawn)} of ${whole(counts.sampled)} rows of the ${plan.part} part, effective rows of the weights ${whole(weights.ess)}`,
    ...(plan.propensities === undefined
      ? []
      : [
          `propensities: ${fileWords(plan.propensities)}; ${whole(counts.zeroWeight)} rows without one`,
        ]),
    `Gini of items ${decimal(items.before.gini, 3)} → ${decimal(items.expected.gini, 3)}, of users ${decimal(users.before.gini, 3)} → ${decimal(users.expected.gini, 3)} as expected`,
    ...files.map(({ name, bytes, sha256 }) => `${name}: ${whole(bytes)} bytes, sha256 ${sha256}`),
    `in ${out}`,
  ];
  return `${lines.join('\n')}\n`;
}
