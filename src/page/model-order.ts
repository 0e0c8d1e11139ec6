import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import type { Choice } from './choice.js';

/** Lines that one chart can show and a reader still tell apart. */
export const MOST_LINES = 8;

/** The models that are not hidden: pinned ones first, then by their value, the best first. */
export function orderedModels(
  { models, window: { estimates } }: LiveTick,
  { pin, hide }: Pick<Choice, 'pin' | 'hide'>,
  estimator: string,
): readonly string[] {
  const values = new Map<string, number>();
  for (const row of estimates) {
    if (row.estimator === estimator && isKnown(row.value)) {
      values.set(row.model, row.value);
    }
  }
  const pinned = new Set(namesIn(pin));
  const hidden = new Set(namesIn(hide));
  const known = (model: string) => values.get(model) ?? Number.NEGATIVE_INFINITY;
  const byValue = (a: string, b: string) => (known(a) === known(b) ? 0 : known(b) - known(a));
  return models
    .filter((model) => pinned.has(model) || !hidden.has(model))
    .sort((a, b) => Number(pinned.has(b)) - Number(pinned.has(a)) || byValue(a, b));
}

/** Names in one text of the page's address: they may hold any sign. */
export function namesIn(text: string): readonly string[] {
  if (text === '') return [];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    // An address that was cut or typed by hand chooses nothing.
    return [];
  }
}

/** The text with a name more, or without one that it held; none at all is empty. */
export function toggled(text: string, name: string): string {
  const names = namesIn(text);
  const others = names.filter((other) => other !== name);
  const changed = others.length < names.length ? others : [...names, name];
  return changed.length === 0 ? '' : JSON.stringify(changed);
}
