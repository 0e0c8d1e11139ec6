import { whole } from '../../rows/figures.js';
import { clockWithSeconds, duration } from '../../rows/times.js';
import { Chart } from '../charts/chart.js';
import { palette } from '../charts/colours.js';
import type { Line } from '../charts/series-table.js';
import { make } from '../element.js';
import { shownPart, type View } from '../view.js';
import { chartHost, type Panel, scrollBox } from './panel.js';
import { tableElement } from './table.js';

/** Panel of how far each partition has been read. */
export const PARTITIONS: Panel = {
  name: 'partitions',
  width: 6,
  title: 'Progress of each partition',
  note: 'For each partition: newest event time, how far it is behind the newest of all partitions, and unread records.',
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
  if (lines.length === 0) return make('p', 'empty', 'No partition has been read yet.');
  return tableElement('Partitions', ['Partition', 'newest event', 'behind', 'unread'], lines);
}

/** Panel of event counts by outcome, and of unread records. */
export const EVENTS: Panel = {
  name: 'events',
  width: 6,
  title: 'Events',
  note: 'Counts since the service started. Invalid events are in the dead letters.',
  mount(box) {
    const place = scrollBox(box, 'outcomes', 'Events');
    box.append(make('h3', '', 'Unread records'));
    const showLag = lagOverTime(box);
    return (view) => {
      place.replaceChildren(outcomesTable(view));
      showLag(view);
    };
  },
};

function outcomesTable({ tick }: View): HTMLTableElement {
  const lines = tick.quality.topics.map((topic) => {
    const reasons = Object.entries(topic.faults).sort(([, a], [, b]) => b - a);
    const faulty = reasons.reduce((sum, [, count]) => sum + count, 0);
    const why = reasons.map(([reason, count]) => `${reason} ${whole(count)}`).join(', ');
    const faults =
      faulty === 0 ? 'none' : make('span', '', whole(faulty), make('small', 'few', why));
    return [topic.topic, whole(topic.accepted), whole(topic.late), whole(topic.duplicate), faults];
  });
  const titles = ['Topic', 'accepted', 'late', 'duplicate', 'invalid'];
  return tableElement('Events since the service started', titles, lines);
}

/** Chart of the number of unread records over time, by topic. */
function lagOverTime(box: HTMLElement): (view: View) => void {
  const chart = new Chart(chartHost(box, 'lag'), {
    x: 'time',
    formatY: whole,
    includes: [0],
    height: 160,
  });
  return (view) => {
    const part = shownPart(view, view.tables.quality);
    const colours = palette();
    const topics = view.tick.quality.topics.map(({ topic }) => topic);
    const lines = topics.map((topic, n): Line => {
      const label = topic.split('.').at(-1) ?? topic;
      return {
        label,
        colour: colours.of(n),
        values: part.column({ topic }, 'lag'),
      };
    });
    chart.show(part.times, lines, view.marks);
    chart.describe(`Unread records over time, by topic`);
  };
}
