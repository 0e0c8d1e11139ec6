import { Value } from 'typebox/value';
import { KEY_INDEX } from '../../config/every-key.js';
import type { PlacedKey } from '../../config/key-index.js';
import { fromText } from '../../config/layers.js';
import { UnskewError } from '../../errors.js';

const LISTS = new Map(
  [...KEY_INDEX.byPath.values()]
    .filter(({ flag, schema }) => flag !== undefined && 'items' in schema)
    .map((key) => [key.flag as string, key]),
);

/**
 * A list is one word: `--k 10,20`. If more words follow that would belong to it, that is said; a
 * word that is none of the list's values is something else, such as a file.
 *
 * @throws UnskewError USAGE
 */
export function refuseParted(argv: readonly string[]): void {
  const words = argv.flatMap((word) => parted(word));
  words.forEach((flag, at) => {
    const key = LISTS.get(flag);
    const [first, second] = words.slice(at + 1);
    if (key === undefined || first === undefined || second === undefined) return;
    if (!isList(key, `${first},${second}`)) return;
    const end = words.findIndex((word, n) => n > at && word.startsWith('-'));
    const values = words.slice(at + 1, end < 0 ? undefined : end);
    const joined = values.filter((word) => isList(key, word)).join(',');
    throw new UnskewError(
      'USAGE',
      `${flag} takes ${key.argument.slice(1, -1)} joined by commas: ${flag} ${joined}`,
    );
  });
}

/** A flag and its value, if they are one word: `--k=10`. */
function parted(word: string): string[] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function isList(key: PlacedKey, text: string): boolean {
  const value = fromText(key.schema, text);
  if (!Value.Check(key.schema, value)) return false;
  try {
    key.decode(value);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
