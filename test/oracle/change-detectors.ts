/** Detectors of a change written out from their definitions, over all starts j ≤ t: O(t²). */

const CHANGES = [0.25, 0.5, 1, 2, -0.25, -0.5, -1, -2];

const product = (scores: readonly number[], from: number, change: number): number =>
  scores.slice(from).reduce((e, z) => e * Math.exp(change * z - change ** 2 / 2), 1);

/** max over starts and sides of Σ (±z − k), with the start of the best; the latest of equals. */
export function cusumByDefinition(scores: readonly number[], k: number) {
  let best = { score: 0, start: scores.length - 1 };
  for (let start = scores.length - 1; start >= 0; start--) {
    const part = scores.slice(start);
    for (const side of [1, -1]) {
      const score = part.reduce((sum, z) => sum + side * z - k, 0);
      if (score > best.score) best = { score, start };
    }
  }
  return best;
}

/** Mean over the changes of the best product over starts. */
export function eCusumByDefinition(scores: readonly number[]): number {
  const best = CHANGES.map((change) =>
    Math.max(...scores.map((_, start) => product(scores, start, change))),
  );
  return best.reduce((sum, e) => sum + e, 0) / CHANGES.length;
}

/** Mean over the changes of the sum of the products over starts. */
export function eShiryaevRobertsByDefinition(scores: readonly number[]): number {
  const sums = CHANGES.map((change) =>
    scores.reduce((sum, _, start) => sum + product(scores, start, change), 0),
  );
  return sums.reduce((sum, e) => sum + e, 0) / CHANGES.length;
}
