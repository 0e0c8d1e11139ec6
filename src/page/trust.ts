import { byId, make, setText } from './element.js';
import { type Reason, reasonText, trustOf } from './said.js';
import type { View } from './view.js';

/** Show whether the numbers can be trusted, in one line that expands to the reasons. */
export function showTrust({ tick, states }: View): void {
  const { tone, word, held, kinds } = trustOf(tick, states);
  const box = byId<HTMLDetailsElement>('trust');
  box.dataset['tone'] = tone;
  const [why = ''] = [...held, ...kinds.map(([first]) => reasonText(first!))];
  setText(box.querySelector('summary')!, `Can these numbers be trusted? ${word}. ${why}`);
  const list = box.querySelector('ul')!;
  const open = new Set(
    [...list.querySelectorAll<HTMLElement>('[data-code]:has(> details[open])')].map(
      (own) => own.dataset['code'],
    ),
  );
  list.replaceChildren(...held.map((text) => make('li', '', text)), ...kinds.map(line));
  for (const own of list.querySelectorAll<HTMLElement>('[data-code]')) {
    const details = own.querySelector('details');
    if (details !== null) {
      details.open = open.has(own.dataset['code']);
    }
  }
}

/** Create a list item for a reason, with the other reasons of the same kind below it. */
function line([first, ...others]: readonly Reason[]): HTMLElement {
  const item = make('li', '', reasonText(first!));
  item.dataset['code'] = first!.code;
  if (others.length === 0) return item;
  const list = make('ul', '', ...others.map((each) => make('li', '', reasonText(each))));
  item.append(make('details', '', make('summary', '', `${others.length} more of this kind`), list));
  return item;
}
