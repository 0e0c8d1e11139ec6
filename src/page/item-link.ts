import { make } from './element.js';

const PREFIX = '#item=';

/** Create a link to the view of an item. The address can be shared. */
export function itemLink(item: string): HTMLAnchorElement {
  const link = make('a', 'item', item);
  link.href = PREFIX + encodeURIComponent(item);
  return link;
}

/** Item that the hash of an address links to; undefined if it is not the address of an item. */
export function itemIn(hash: string): string | undefined {
  if (!hash.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(hash.slice(PREFIX.length)) || undefined;
  } catch {
    // The hash was not written by `itemLink`.
    return undefined;
  }
}
