import type { LiveState } from '../../adapters/http/schema/state/live-state.js';
import { whole } from '../../figures/figures.js';
import { clockWithSeconds, day } from '../../figures/times.js';
import { newestOf, rejectedOf } from '../../findings/state/facts.js';
import { byId, make } from '../element.js';
import { table } from '../panels/now/table.js';

/** What has come so far, while there are no numbers. */
export function showArrivals({ arrivals }: LiveState): void {
  if (arrivals === null) return;
  const lines = arrivals.map((topic) => {
    const rejected = rejectedOf(topic);
    const reasons = Object.entries(topic.faults).sort(([, a], [, b]) => b - a);
    const why = reasons.map(([reason, count]) => `${reason} ${whole(count)}`).join(', ');
    const faults =
      rejected === 0 ? '0' : make('span', '', whole(rejected), make('small', 'few', why));
    const newest = newestOf(topic);
    return [
      topic.topic,
      whole(topic.accepted),
      faults,
      whole(topic.late),
      whole(topic.duplicate),
      newest === null ? '–' : `${day(newest)} ${clockWithSeconds(newest)}`,
      topic.lag === null ? '–' : whole(topic.lag),
    ];
  });
  const titles = [
    'Topic',
    'accepted',
    'rejected',
    'late',
    'duplicate',
    'newest event, UTC',
    'unread',
  ];
  const place = byId('arrived');
  // What scrolls has to be reached by keyboard.
  place.tabIndex = 0;
  place.replaceChildren(table('Events so far', titles, lines));
}
