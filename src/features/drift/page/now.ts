import { SPANS } from '../../../page/choice.js';
import { make } from '../../../page/element.js';
import { itemLink } from '../../../page/item-link.js';
import { markList } from '../../../page/mark-list.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import type { View } from '../../../page/view.js';
import { decimal, isKnown, percent } from '../../../rows/figures.js';
import { clock, day } from '../../../rows/times.js';
import type { Notice } from '../../alarm.js';
import { shiftWords } from '../series-words.js';

type Alarm = View['alarms'][number];

/** Panel of the alarms and marks of the last day. */
export const ALARMS: Panel = {
  name: 'alarms',
  width: 5,
  title: 'Alarms',
  note: 'Significant changes (▼ on the time axes), and the deployments and notes marked at the time.',
  mount(box) {
    const place = scrollBox(box, 'alarms', 'Alarms');
    const beside = scrollBox(box, 'marks', 'Marks of the last 24 hours');
    return ({ alarms, states, happenings, tick: { notices = [], paneEnd, window } }) => {
      place.replaceChildren(...notices.map(noticeLine), alarmList(alarms, silence(states, window)));
      const marks = markList(happenings, paneEnd - SPANS['24h']);
      beside.hidden = marks.length === 0;
      beside.replaceChildren(...marks);
    };
  },
};

function noticeLine({ model, since }: Notice): HTMLElement {
  return make('p', 'notice', `New model since ${day(since)} ${clock(since)} UTC: ${model}`);
}

/** List of the alarms of the last day, newest first. */
function alarmList(alarms: readonly Alarm[], silent: string): HTMLElement {
  if (alarms.length === 0) return make('p', 'empty', silent);
  return make('ul', 'alarms', ...alarms.slice(0, 50).map(item));
}

/**
 * Text shown if there is no alarm. It says if detectors are still in training, since the absence of
 * alarms then means nothing.
 */
function silence(states: View['states'], { findings }: View['tick']['window']): string {
  const most = states.find(({ code }) => code === 'learning');
  if (most !== undefined) return `No alarm yet. ${most.text}`;
  const some = findings.find(({ code }) => code === 'detectors_learn');
  return `No alarm in the last 24 hours.${some === undefined ? '' : ` ${some.text}`}`;
}

function item(alarm: Alarm): HTMLElement {
  const { series, detector, since, at, score, threshold, size, suppressed, models } = alarm;
  const { before, now } = alarm.level ?? {};
  const shift = isKnown(before) && isKnown(now) ? shiftWords({ before, now }) : '';
  const when = `${day(at)} ${clock(at)} UTC`;
  const evidence = [
    `changed since ${clock(since)}${shift}`,
    isKnown(size) ? `by ${decimal(size, 1)} standard deviations` : '',
    `${detector} ${decimal(score, 1)}, threshold ${decimal(threshold, 1)}`,
    models.length > 0 ? `models: ${models.join(', ')}` : '',
  ];
  return make(
    'li',
    suppressed === null ? '' : 'suppressed',
    make('strong', '', series),
    make('span', 'when', when),
    make('p', '', evidence.filter((part) => part !== '').join(' · ')),
    itemsBehind(alarm),
    suppressed === null ? null : make('p', '', `Do not act on it: ${suppressed}`),
  );
}

/**
 * Items responsible for an alarm, with their shares before and after, and a link to each item's
 * dialog.
 */
function itemsBehind({ topItems }: Alarm): HTMLElement | null {
  if (topItems.length === 0) return null;
  const moved = topItems
    .slice(0, 3)
    .flatMap(({ item, before, share }, n) => [
      n === 0 ? '' : ' · ',
      itemLink(item),
      ` ${percent(before, 1)} → ${percent(share, 1)}`,
    ]);
  return make('p', 'behind', 'Items responsible: ', ...moved);
}
