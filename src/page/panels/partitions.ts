import { whole } from '../../rows/figures.js';
import { clockWithSeconds, duration } from '../../rows/times.js';
import { make } from '../element.js';
import type { View } from '../view.js';
import { type Panel, scrollBox } from './panel.js';
import { tableElement } from './table.js';

/** How far each partition is read. */
export const PARTITIONS: Panel = {
  name: 'partitions',
  width: 6,
  title: 'How far each partition is read',
  note: 'Newest event time, how far it is behind the newest of all, and records not read yet.',
  mount(box) {
    const place = scrollBox(box, 'partitions', 'Partitions', 'tall');
    return (view) => place.replaceChildren(partitionsTable(view));
  },
};

function partitionsTable({ tick }: View): HTMLElement {
  const { topics } = tick.quality;
  const newest = Math.max(
    ...topics.flatMap(({ partitions }) => partitions.map(({ watermark }) => watermark ?? 0)),
  );
  const lines = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, watermark, lag }) => [
      `${topic} ${partition}`,
      watermark === null ? '–' : clockWithSeconds(watermark),
      watermark === null ? '–' : duration(newest - watermark),
      lag === null ? '–' : whole(lag),
    ]),
  );
  if (lines.length === 0) return make('p', 'empty', 'No partition is read yet.');
  return tableElement('Partitions', ['Partition', 'newest event', 'behind', 'lag'], lines);
}
