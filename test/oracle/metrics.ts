import type { Metric } from '../../src/estimators/metrics/registry.js';

/** A metric by its definition. */
export type MetricOracle =
  | {
      /** λ of an item at a 0-based rank of a list of that length, within the cut-off. */
      readonly gain: (rank: number, length: number) => number;
      /** Whether it takes only lists that rank all their candidates. */
      readonly takesWholeLists?: true;
    }
  | {
      /** The metric of a set: places from 1 of its hits in the first k, of `items` relevant ones. */
      readonly ofSet: (k: number, places: readonly number[], items: number) => number;
    };

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const discount = (place: number) => Math.LN2 / Math.log(place + 1);

/** Every metric's definition; that none is missing is for the tests to say. */
export const METRIC_ORACLES: Readonly<Partial<Record<Metric, MetricOracle>>> = {
  recall: { gain: () => 1 },
  dcg: { gain: (rank) => discount(rank + 1) },
  mrr: { gain: (rank) => 1 / (rank + 1) },
  auc: { gain: (rank, length) => (length - rank) / length, takesWholeLists: true },
  precision: { ofSet: (k, places) => places.length / k },
  ndcg: {
    ofSet: (k, places, items) => {
      const best = Array.from({ length: Math.min(k, items) }, (_, z) => discount(z + 1));
      return sum(places.map(discount)) / sum(best);
    },
  },
  map: {
    ofSet: (k, places, items) => {
      const precisionAt = (place: number) =>
        (1 + places.filter((other) => other < place).length) / place;
      return sum(places.map(precisionAt)) / Math.min(k, items);
    },
  },
};
