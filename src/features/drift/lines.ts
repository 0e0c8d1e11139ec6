import { printable } from '../../outputs/text/terminal.js';
import { decimal, percent } from '../../rows/figures.js';
import { instant } from '../../rows/times.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Alarm } from '../alarm.js';
import { shiftWords } from './series-words.js';

/** Lines of text on the alarms raised at the end of the snapshot's pane, and on new models. */
export function alarmLines({ alarms, notices = [], paneEnd }: Snapshot): string[] {
  const fresh = notices.filter(({ at }) => at === paneEnd);
  return [
    ...alarms.filter(({ at }) => at === paneEnd).flatMap(linesOf),
    ...fresh.map(({ model, since }) => `new model since ${instant(since)}: ${printable(model)}`),
  ];
}

function linesOf(alarm: Alarm): string[] {
  const { series, detector, since, size, suppressed, models, topItems, level } = alarm;
  const how = size === null ? '' : `, by ${decimal(size, 1)} standard deviations`;
  const what = `${printable(series)}${shiftWords(level)}`;
  const lines = [`changed since ${instant(since)}: ${what} (${detector}${how})`];
  if (models.length > 0) {
    lines.push(`  models: ${models.map(printable).join(', ')}`);
  }
  if (topItems.length > 0) {
    const items = topItems.map(
      ({ item, before, share }) =>
        `${printable(item)} ${percent(before, 1)} → ${percent(share, 1)}`,
    );
    lines.push(`  items: ${items.join(', ')}`);
  }
  if (suppressed !== null) {
    lines.push(`  do not act on it: ${suppressed}`);
  }
  return lines;
}
