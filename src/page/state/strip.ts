import { clock, day } from '../../figures/times.js';
import { byId, make } from '../element.js';
import type { ShownState } from './shown-states.js';

/** More are a line to be opened. */
const AT_ONCE = 4;

/** Shows the states above all numbers, the most urgent first. */
export function showStrip(states: readonly ShownState[]): void {
  const strip = byId('states');
  const key = JSON.stringify(states);
  if (strip.dataset['key'] === key) return;
  strip.dataset['key'] = key;
  strip.hidden = states.length === 0;
  const isOpen = strip.querySelector('details')?.hasAttribute('open') ?? false;
  const rest = states.slice(AT_ONCE);
  strip.replaceChildren(make('ul', '', ...states.slice(0, AT_ONCE).map(line)));
  if (rest.length === 0) return;
  const more = make('details', '', make('summary', '', `${rest.length} more`));
  more.append(make('ul', '', ...rest.map(line)));
  more.open = isOpen;
  strip.append(more);
}

function line({ code, severity, label, text, remedy, since }: ShownState): HTMLElement {
  const item = make(
    'li',
    '',
    make('strong', 'label', label),
    make('span', 'said', text),
    make('span', 'remedy', remedy),
  );
  // What says when in its sentence need not say it again.
  if (since !== null && HAS_NO_TIME.has(code)) {
    item.append(make('span', 'when', `since ${moment(since)}`));
  }
  item.dataset['severity'] = severity;
  item.dataset['code'] = code;
  return item;
}

const HAS_NO_TIME: ReadonlySet<string> = new Set([
  ...['failed', 'broker_away', 'registry_away', 'store_away', 'exchange_away', 'clock_off'],
  ...['not_assigned', 'catching_up', 'all_rejected', 'users_split', 'models_dropped'],
]);

function moment(ms: number): string {
  return day(ms) === day(Date.now()) ? `${clock(ms)} UTC` : `${day(ms)} ${clock(ms)} UTC`;
}
