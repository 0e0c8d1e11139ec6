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
