import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import type { Choice } from './choice.js';

/** Maximum number of lines in a chart that readers can still distinguish. */
export const MOST_LINES = 8;

/** Models that are not hidden: the pinned ones first, then the others, best estimate first. */
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

/**
 * Parse model names from a text in the address, a JSON array, since names may contain any
 * character.
 */
export function namesIn(text: string): readonly string[] {
  if (text === '') return [];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    // An address that was truncated or typed by hand selects no model.
    return [];
  }
}

/**
 * Add a name to a list of names in an address, or remove it if it is there. An empty list is an
 * empty text.
 */
export function toggled(text: string, name: string): string {
  const names = namesIn(text);
  const others = names.filter((other) => other !== name);
  const changed = others.length < names.length ? others : [...names, name];
  return changed.length === 0 ? '' : JSON.stringify(changed);
}
