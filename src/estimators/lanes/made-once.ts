const MADE = new WeakMap<object, Map<string, unknown>>();

/**
 * What follows from a column of counts is made once, whichever windows of the tick ask for it.
 *
 * @param of the column, which does not change. @param what is made, with all else that it follows from.
 */
export function madeOnce<T>(of: object, what: readonly unknown[], make: () => T): T {
  const made = MADE.get(of) ?? new Map<string, unknown>();
  MADE.set(of, made);
  const key = JSON.stringify(what);
  if (!made.has(key)) {
    made.set(key, make());
  }
  return made.get(key) as T;
}
