import { ON_POLICY } from '../../estimators/names.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { SnapshotSeries } from '../output.js';

/** What is known of the values of lists beside the values themselves. */
export const VALUE_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_value_proved',
    help: 'Lists are worth significantly more than the control’s in this window: 1; less: -1; neither: 0',
    labelNames: ['model', 'reference', 'window'],
    *samples({ windows }) {
      for (const { name: window, valueDifferences = [] } of windows) {
        for (const row of valueDifferences) {
          const { model, reference, more } = row;
          if (isGiven(row)) {
            yield [
              {
                model,
                reference,
                window,
              },
              more.proved,
            ];
          }
        }
      }
    },
  },
  {
    name: 'unskew_value_served_requests',
    help: 'Requests of the window that were served the list of the model, if requests are named',
    labelNames: ['model', 'window'],
    *samples(snapshot) {
      if (!isValued(snapshot)) return;
      for (const { name: window, values = [] } of snapshot.windows) {
        const served = new Map(
          values.flatMap(({ model, estimator, counts }) =>
            estimator === ON_POLICY.estimator ? [[model, counts.requests]] : [],
          ),
        );
        for (const model of snapshot.models) {
          yield [{ model, window }, served.get(model) ?? 0];
        }
      }
    },
  },
  {
    name: 'unskew_sample_ratio_p',
    help: 'p-value of the test of served requests against shares; values are refused below .001',
    labelNames: ['window'],
    *samples({ windows }) {
      for (const { name: window, sampleRatio } of windows) {
        if (sampleRatio !== undefined) {
          yield [{ window }, sampleRatio.p];
        }
      }
    },
  },
];

/** A model that is served no more has none in the shortest window, and that has to be said. */
function isValued({ windows }: Snapshot): boolean {
  return windows.some(({ values }) => values !== undefined);
}
