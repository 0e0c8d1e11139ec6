import type { SegmentNumbers } from '../../src/estimators/results/segment-report.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';

/** Adds the three groups of items for all models; those after the second have too few users. */
export function inThirds(
  { windows, ...snapshot }: Snapshot,
  models: readonly string[],
  k = 10,
): Snapshot {
  const column = (value: number) => ['', '', 'head', 'middle', 'tail'].map(() => value);
  const numbers = models.map(
    (model, m): SegmentNumbers => ({
      model,
      metric: 'recall',
      k,
      estimator: 'snips',
      form: 'pooled',
      value: column(0.2 + m / 10),
      stdErr: column(0.01),
      lower: column(0.1 + m / 10),
      upper: column(0.3 + m / 10),
      share: [0, 0, 0.2, 0.5, 0.3],
      contribution: column(0.1),
      users: column(50),
      ess: column(m < 2 ? 50 : 3),
    }),
  );
  const segments = {
    dimensions: ['item_popularity'],
    names: [['', '', 'head', 'middle', 'tail']],
    rows: [[0, 0, 20, 50, 30]],
    hidden: [0],
    minUsers: 30,
    numbers,
  };
  return { ...snapshot, windows: windows.map((window) => ({ ...window, segments })) };
}
