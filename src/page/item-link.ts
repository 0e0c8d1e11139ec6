import { make } from './element.js';

const PREFIX = '#item=';

/** Opens an item's own view; its address can be shared. */
export function itemLink(item: string): HTMLAnchorElement {
  const link = make('a', 'item', item);
  link.href = PREFIX + encodeURIComponent(item);
  return link;
}

/** The item of an address; undefined for any other address. */
export function itemIn(hash: string): string | undefined {
  if (!hash.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(hash.slice(PREFIX.length)) || undefined;
  } catch {
    // Not written by `itemLink`.
    return undefined;
  }
}
