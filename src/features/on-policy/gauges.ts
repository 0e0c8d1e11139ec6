import type { SnapshotSeries } from '../output.js';

/** How many lists of each model were shown. */
export const SHOWN_LIST_SERIES: readonly SnapshotSeries[] = [
  {
    name: 'unskew_on_policy_lists',
    help: 'Lists of the model that were shown',
    labelNames: ['model', 'window'],
    *samples({ windows }) {
      for (const { name: window, onPolicy } of windows) {
        for (const { model, counts } of onPolicy?.values ?? []) {
          yield [{ model, window }, counts.lists];
        }
      }
    },
  },
];
