import type { CommandName, Key } from './key.js';

/** This file writes the texts about a key for `--help`, the key listing, editors and docs. */

/** Write the default of a key as a user would; undefined if the key has none. */
export function defaultText({ default: fallback, derived }: Key): string | undefined {
  if (fallback === undefined) return derived;
  const isRecord = typeof fallback === 'object' && !Array.isArray(fallback);
  const text = isRecord ? JSON.stringify(fallback) : [fallback].flat().join(',');
  return text === '' ? 'none' : text;
}

/** First sentence of a key's description, without its full stop. */
export function firstSentence({ description }: Key): string {
  return /^.*?[^.](?=\.(\s|$))/s.exec(description)?.[0] ?? description;
}

/**
 * Write the line on a key for `--help`: the first sentence of its description, with choices and
 * default.
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

/** Write the range of a key's allowed values, with their unit. */
export function rangeText({ unit, range }: Key): string {
  return unit === null ? range : `${unit}, ${range}`;
}

/** Commands that have the key's flag: all commands of the key, usually except `serve`. */
export function flagCommands({ flag, commands, isFlagOfServe }: Key): readonly CommandName[] {
  if (flag === undefined) return [];
  return commands.filter((command) => command !== 'serve' || isFlagOfServe === true);
}

/** Join names as in a sentence: `a, b and c`. */
export function listed(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names[names.length - 1]}`;
}
