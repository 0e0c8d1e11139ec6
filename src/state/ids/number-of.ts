import { hashBytes } from '../../events/hash.js';
import type { Interner } from './interner.js';

/** An id's dense number; −1 for one that is not known. */
export function numberOf(table: Interner, id: string): number {
  const bytes = new TextEncoder().encode(id);
  return table.find(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}
