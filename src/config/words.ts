import type { CommandName, Key } from './key.js';

/** Texts about a key for `--help`, the listing, editors and docs. */

/** Default of a key as it would be written; undefined if there is none. */
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
 * First sentence of the description for `--help`, with choices and default.
 *
 * @param areNamedBelow whether `--help` explains the choices further down
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

/** Range of allowed values, with their unit. */
export function rangeText({ unit, range }: Key): string {
  return unit === null ? range : `${unit}, ${range}`;
}

/** Commands with the key's flag: all commands with the key, except `serve`. */
export function flagCommands({ flag, commands, isFlagOfServe }: Key): readonly CommandName[] {
  if (flag === undefined) return [];
  return commands.filter((command) => command !== 'serve' || isFlagOfServe === true);
}

/** Join names as in a sentence: `a, b and c`. */
export function listed(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names[names.length - 1]}`;
}
