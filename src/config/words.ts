import type { CommandName, Key } from './key.js';

/** A key in words: for `--help`, for the listing, for editors and for the docs. */

/** What it is if nothing is given, as it would be written; undefined if there is nothing. */
export function defaultText({ default: fallback, derived }: Key): string | undefined {
  if (fallback === undefined) return derived;
  const isRecord = typeof fallback === 'object' && !Array.isArray(fallback);
  const text = isRecord ? JSON.stringify(fallback) : [fallback].flat().join(',');
  return text === '' ? 'none' : text;
}

/** The first sentence of the description, without its full stop. */
export function firstSentence({ description }: Key): string {
  return /^.*?[^.](?=\.(\s|$))/s.exec(description)?.[0] ?? description;
}

/**
 * The first sentence, as `--help` writes it, with the choices and the default.
 *
 * @param areNamedBelow whether the choices stand further down, with what each is
 */
export function helpText(key: Key, areNamedBelow = false): string {
  const plain = firstSentence(key).replaceAll('`', '');
  const isAcronym = /^.[A-Z]/.test(plain);
  const text = isAcronym ? plain : plain.charAt(0).toLowerCase() + plain.slice(1);
  const choices = areNamedBelow ? 'named below' : key.range;
  const notes = [/<names?>/.test(key.argument) ? choices : undefined, defaultNote(key)].filter(
    (note) => note !== undefined,
  );
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`;
}

function defaultNote(key: Key): string | undefined {
  if (key.default === false) return undefined;
  const text = defaultText(key);
  return text === undefined ? undefined : `default: ${text}`;
}

/** The values that are taken, with their unit. */
export function rangeText({ unit, range }: Key): string {
  return unit === null ? range : `${unit}, ${range}`;
}

/** Commands that have the key's flag: all that take the key but the service. */
export function flagCommands({ flag, commands, isFlagOfServe }: Key): readonly CommandName[] {
  if (flag === undefined) return [];
  return commands.filter((command) => command !== 'serve' || isFlagOfServe === true);
}

/** Names as a sentence lists them: `a, b and c`. */
export function listed(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names[names.length - 1]}`;
}
