const MADE = new WeakMap<object, Map<string, unknown>>();

/**
 * Cache a value derived from a column of counts, so that all windows of a tick share it.
 *
 * @param of column of counts, which must not change. @param what name of the derived value, and its
 * other inputs.
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
