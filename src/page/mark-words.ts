import type { Mark } from '../outputs/http/schema/mark.js';

/** What a mark is about, in a word. */
export const MARK_WORDS: Readonly<Record<Mark['kind'], string>> = {
  deploy: 'Deploy',
  config: 'Setting',
  note: 'Note',
};
