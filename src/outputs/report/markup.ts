import type { Sentence } from '../../rows/findings/sentence.js';
import { middleCut } from '../../rows/words.js';

/** Maximum length of a shortened name, characters. */
const SHORT = 26;

/** Text that is already HTML; templates escape everything else. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Markup | string | number | null | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Template tag that escapes all inserted pieces except `Markup`, so that a name cannot become an
 * element.
 */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = parts[0];
  pieces.forEach((piece, p) => {
    text += rendered(piece) + parts[p + 1];
  });
  return new Markup(text);
}

function rendered(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string') return escaped(piece);
  return piece.map(rendered).join('');
}

/**
 * Escape text for HTML. Control characters and lone surrogates, which HTML does not allow, are
 * replaced.
 */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Render a name from events. Its text direction does not affect the surrounding text. */
export function named(name: string): Markup {
  return html`<bdi class="name">${name}</bdi>`;
}

/**
 * Render a name in limited space. It is cut in the middle, because related names differ at their
 * ends.
 */
export function shortNamed(name: string): Markup {
  const short = middleCut(name, SHORT);
  return short === name ? named(name) : html`<bdi class="name" title="${name}">${short}</bdi>`;
}

/** Render a sentence, with its names and emphasised parts marked up. */
export function sentence(words: Sentence, nameOf = named): Markup {
  return html`${words.map((part) => {
    if (typeof part === 'string') return part;
    return 'name' in part ? nameOf(part.name) : html`<b>${part.strong}</b>`;
  })}`;
}
