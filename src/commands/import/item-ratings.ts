import { topItems } from '../train/ranker.js';

/** Least rating that counts as positive for the popularity ranker. */
const POSITIVE_RATING = 4;

export const RANKER_MODELS = ['popularity', 'mean-rating'] as const;

/**
 * Statistics of items for two simple rankers. Each item has the number of its ratings, the number
 * of its positive ratings, and the sum of its ratings. An item is the index of its id in code-point
 * order, so the order of items is the order of ids.
 */
export class ItemRatings {
  readonly #ratings: Float64Array;
  readonly #positives: Float64Array;
  readonly #sum: Float64Array;
  #total = 0;
  #totalSum = 0;

  /**
   * @param damping number of ratings at the overall mean that are added to the ratings of each
   * item, because a single rating of 5 is less evidence than a hundred ratings of 4.5
   * @param positiveFrom least value of a positive rating
   */
  constructor(
    items: number,
    private readonly damping: number,
    private readonly positiveFrom = POSITIVE_RATING,
  ) {
    this.#ratings = new Float64Array(items);
    this.#positives = new Float64Array(items);
    this.#sum = new Float64Array(items);
  }

  add(item: number, value: number): void {
    this.#ratings[item]++;
    this.#sum[item] += value;
    if (value >= this.positiveFrom) {
      this.#positives[item]++;
    }
    this.#total++;
    this.#totalSum += value;
  }

  /** Whether the item was ever rated. */
  isRated(item: number): boolean {
    return this.#ratings[item] > 0;
  }

  /**
   * Rank the best candidates, best first, and ties by id. `candidates` must be ascending.
   * `popularity` ranks by the number of positive ratings. `mean-rating` ranks by (Σr + m·r̄) / (n +
   * m) with damping m, and puts items without ratings last.
   */
  rank(
    model: (typeof RANKER_MODELS)[number],
    candidates: readonly number[],
    listLength: number,
  ): number[] {
    const scores = new Float64Array(candidates.length);
    for (let i = 0; i < scores.length; i++) {
      scores[i] = this.#score(model, candidates[i]);
    }
    return Array.from(topItems(scores, listLength), (index) => candidates[index]);
  }

  #score(model: (typeof RANKER_MODELS)[number], item: number): number {
    if (model === 'popularity') return this.#positives[item];
    const weight = this.#ratings[item] + this.damping;
    if (weight === 0 || this.#total === 0) return Number.NEGATIVE_INFINITY;
    return (this.#sum[item] + (this.damping * this.#totalSum) / this.#total) / weight;
  }
}
