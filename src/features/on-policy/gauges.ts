import type { Sample, SnapshotSeries } from '../output.js';

/** Gauge of the number of served lists, by model and window. */
export const SHOWN_LIST_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_on_policy_lists',
    help: 'Served lists of the model',
    labelNames: ['model', 'window'],
    samples: ({ windows }) =>
      windows.flatMap(({ name: window, onPolicy }) =>
        (onPolicy?.values ?? []).map(
          ({ model, counts }): Sample => [{ model, window }, counts.lists],
        ),
      ),
  },
];
