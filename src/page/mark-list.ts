import type { Mark } from '../outputs/http/schema/mark.js';
import { clock, day } from '../rows/times.js';
import { make } from './element.js';

/** Word for each kind of mark. */
export const MARK_WORDS: Readonly<Record<Mark['kind'], string>> = {
  deploy: 'Deploy',
  config: 'Setting',
  note: 'Note',
};

/** Maximum number of listed marks; charts and API have the others. */
const MOST_LISTED = 50;

/** List the marks since a time, newest first, as text for readers who cannot see the charts. */
export function markList(marks: readonly Mark[], since: number): HTMLElement[] {
  const shown = marks.filter(({ time }) => time >= since).sort((a, b) => b.time - a.time);
  if (shown.length === 0) return [];
  return [make('ul', 'marks', ...shown.slice(0, MOST_LISTED).map(line))];
}

function line({ kind, text, time, model }: Mark): HTMLElement {
  // Isolates text from elsewhere, which could change the text direction of what follows.
  const said = make('bdi', '', text);
  const when = make('span', 'when', `${day(time)} ${clock(time)} UTC`);
  const of = model === undefined ? [] : [' of ', make('bdi', '', model)];
  return make('li', '', make('strong', '', MARK_WORDS[kind]), ...of, ' ', said, ' ', when);
}
