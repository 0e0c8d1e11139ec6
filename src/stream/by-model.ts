/** Without a prototype, because a model may be called `__proto__`. */
export function byModel<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** The same models with something of what each has. */
export function mapped<T, R>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => R,
): Record<string, R> {
  const result = byModel<R>();
  for (const [model, value] of Object.entries(record)) result[model] = map(value);
  return result;
}
