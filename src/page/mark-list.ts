import type { Mark } from '../outputs/http/schema/mark.js';
import { clock, day } from '../rows/times.js';
import { make } from './element.js';

/** What a mark is about, in a word. */
export const MARK_WORDS: Readonly<Record<Mark['kind'], string>> = {
  deploy: 'Deploy',
  config: 'Setting',
  note: 'Note',
};

/** More are on the charts and in the API. */
const MOST_LISTED = 50;

/** Marks since a time, the newest first; for those who do not see the charts, too. */
export function markList(marks: readonly Mark[], since: number): HTMLElement[] {
  const shown = marks.filter(({ time }) => time >= since).sort((a, b) => b.time - a.time);
  if (shown.length === 0) return [];
  return [make('ul', 'marks', ...shown.slice(0, MOST_LISTED).map(line))];
}

function line({ kind, text, time, model }: Mark): HTMLElement {
  // A text from elsewhere may turn the direction of what follows it.
  const said = make('bdi', '', text);
  const when = make('span', 'when', `${day(time)} ${clock(time)} UTC`);
  const of = model === undefined ? [] : [' of ', make('bdi', '', model)];
  return make('li', '', make('strong', '', MARK_WORDS[kind]), ...of, ' ', said, ' ', when);
}
