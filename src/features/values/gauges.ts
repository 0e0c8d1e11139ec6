import { ON_POLICY } from '../../estimators/names.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Sample, SnapshotSeries } from '../output.js';

/**
 * Series on reward per request, except the rewards themselves: proved differences, served requests,
 * and the p-value of the sample ratio test.
 */
export const VALUE_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_value_proved',
    help: '1 if lists of the model earn significantly more than the control’s in this window, -1 if significantly less, 0 otherwise',
    labelNames: ['model', 'reference', 'window'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, valueDifferences = [] }) =>
        valueDifferences.filter(isGiven).map(({ model, reference, more }): Sample => {
          const labels = {
            model,
            reference,
            window,
          };
          return [labels, more.proved];
        }),
      ),
  },
  {
    name: 'unskew_value_served_requests',
    help: 'Requests of the window that were served the list of the model; absent without request ids',
    labelNames: ['model', 'window'],
    samples(snapshot) {
      if (!isValued(snapshot)) return [];
      return snapshot.windows.flatMap(({ name: window, values = [] }) => {
        const served = new Map(
          values.flatMap(({ model, estimator, counts }) =>
            estimator === ON_POLICY.estimator ? [[model, counts.requests]] : [],
          ),
        );
        return snapshot.models.map((model): Sample => [{ model, window }, served.get(model) ?? 0]);
      });
    },
  },
  {
    name: 'unskew_sample_ratio_p',
    help: 'p-value of the test for sample ratio mismatch; below 0.001, reward per request is not reported',
    labelNames: ['window'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, sampleRatio }) =>
        sampleRatio === undefined ? [] : [[{ window }, sampleRatio.p]],
      ),
  },
];

/**
 * Whether any window has values. The shortest window may lack values that a longer one has, for
 * example of a model that is no longer served.
 */
function isValued({ windows }: Snapshot): boolean {
  return windows.some(({ values }) => values !== undefined);
}
