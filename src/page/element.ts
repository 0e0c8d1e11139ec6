import { type Sentence, withoutTurns } from '../rows/findings/sentence.js';

type Child = Node | string | null;

/**
 * Create an element. Text children are never parsed as HTML, since names in events may contain
 * anything.
 */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  if (className !== '') {
    node.className = className;
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

export function draw(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

export function spoken(sentence: Sentence): Node[] {
  return sentence.map((part) =>
    typeof part === 'string'
      ? document.createTextNode(part)
      : make('strong', '', 'name' in part ? withoutTurns(part.name) : part.strong),
  );
}

/**
 * Set the text of an element only if it differs, so that screen readers do not announce it again.
 */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}
