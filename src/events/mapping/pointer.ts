/**
 * Compiles a JSON Pointer into its reference tokens.
 *
 * Source: RFC 6901, sections 3 and 4.
 *
 * @param pointer  '' for the whole value, else '/' before each token; `~1` is '/', `~0` is '~'
 * @returns the tokens; null if the text is not a JSON Pointer
 * @example
 * parsePointer('/a~1b/0') // ['a/b', '0']
 */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What the tokens lead to in `value`, through own properties only; undefined where there is nothing. */
export function resolvePointer(value: unknown, tokens: readonly string[]): unknown {
  let at = value;
  for (const token of tokens) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(token)) return undefined;
    if (!Object.hasOwn(at, token)) return undefined;
    at = (at as Record<string, unknown>)[token];
  }
  return at;
}
