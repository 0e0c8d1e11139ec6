import type { OutgoingRecord } from '../../stream/ports.js';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The same key always goes to the same of `count` partitions (32-bit FNV-1a of its bytes). */
export function partitionOfKey(key: NonNullable<OutgoingRecord['key']>, count: number): number {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key;
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return (hash >>> 0) % count;
}
