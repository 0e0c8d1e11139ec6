import { type Term, termsIn } from '../rows/terms.js';
import { make } from './element.js';

/** Show text in which each term is a button that shows its meaning. */
export function showWithTerms(node: HTMLElement, text: string): void {
  if (node.dataset['text'] === text) return;
  node.dataset['text'] = text;
  // A screen reader would read a heading with pauses at the buttons, so it gets the plain text as
  // label.
  if (node instanceof HTMLHeadingElement) {
    node.setAttribute('aria-label', text);
  }
  node.replaceChildren(
    ...termsIn(text).map(({ text: own, term }) => (term === undefined ? own : button(own, term))),
  );
}

/**
 * Element with the meaning of the open term. It is inserted directly after its term, so that a
 * screen reader reads it next.
 */
const note = make('span', 'meaning');
note.id = 'meaning';
note.setAttribute('role', 'status');
let open: HTMLElement | undefined;

function button(text: string, { names, meaning }: Term): HTMLElement {
  const own = make('button', 'term', text);
  own.type = 'button';
  own.setAttribute('aria-expanded', 'false');
  own.addEventListener('click', (event) => {
    event.stopPropagation();
    const wasOpen = own === open;
    close();
    if (wasOpen) return;
    open = own;
    own.setAttribute('aria-expanded', 'true');
    own.setAttribute('aria-describedby', note.id);
    own.after(note);
    note.textContent = `${names[0]}: ${meaning}`;
    place(own);
  });
  return own;
}

/** Position the note below its term, within the width of the page. */
function place(term: HTMLElement): void {
  note.style.left = '0';
  const within = (note.offsetParent ?? document.body).getBoundingClientRect();
  const { left, bottom } = term.getBoundingClientRect();
  const room = document.documentElement.clientWidth - note.offsetWidth - 12;
  note.style.left = `${Math.max(8, Math.min(left, room)) - within.left}px`;
  note.style.top = `${bottom - within.top + 4}px`;
}

function close(): void {
  open?.setAttribute('aria-expanded', 'false');
  open?.removeAttribute('aria-describedby');
  open = undefined;
  note.remove();
}

addEventListener('click', close);
addEventListener('resize', close);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') {
    close();
  }
});
