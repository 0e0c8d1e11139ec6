import type { PlainRow } from '../../oracle/window.js';
import type { PartitionLogs } from './estimate-station.js';
import type { Schedule } from './schedule.js';

const ITEMS = 9;
const PANES = 5;

/** Logs of partitions over a few panes, some of which have nothing in some. */
export function randomLogs({ random, whole }: Schedule, partitions: number): PartitionLogs {
  const row = (item: number): PlainRow => ({
    item,
    positive: random() < 0.8,
    ranks: [0, 1].map(() => (random() < 0.7 ? whole(9) : random() < 0.8 ? 'absent' : 'unranked')),
    lists: [0, 1].map(() => ({ length: 9, candidates: 0x4000 * whole(3) })),
  });
  return Array.from({ length: partitions }, () =>
    Array.from({ length: PANES }, (_, pane) =>
      Array.from({ length: whole(3) }, () => {
        const items = [...Array(ITEMS).keys()].filter(() => random() < 0.3);
        return { pane, user: { count: 1 + whole(20), key: whole(1e6), rows: items.map(row) } };
      }),
    ).flat(),
  );
}
