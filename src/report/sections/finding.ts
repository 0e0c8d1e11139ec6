import type { Markup } from '../markup.js';

/** A sentence or two on what the numbers rest on. */
export interface Finding {
  /** `caution`: read it before deciding anything on the numbers. */
  readonly severity: 'caution' | 'note';
  readonly text: Markup;
}

export function caution(text: Markup): Finding {
  return { severity: 'caution', text };
}

export function note(text: Markup): Finding {
  return { severity: 'note', text };
}
