/** Seeded uniform numbers in (0, 1), by a 32-bit multiply-with-carry pair. */
export function seeded(seed: number): () => number {
  let high = (seed * 69069 + 1234567) >>> 0;
  let low = (seed * 1664525 + 1013904223) >>> 0;
  const next = () => {
    high = (36969 * (high & 0xffff) + (high >>> 16)) >>> 0;
    low = (18000 * (low & 0xffff) + (low >>> 16)) >>> 0;
    return (((high << 16) + low) >>> 0) / 4294967296 + 1 / 8589934592;
  };
  for (let i = 0; i < 20; i++) next();
  return next;
}
