import { seeded } from './random.js';

/** Φ by Simpson's rule over the density, for |z| < 9. */
export function normalCdf(z: number): number {
  const steps = 2000;
  const width = z / steps;
  let sum = 0;
  for (let s = 0; s <= steps; s++) {
    const weight = s === 0 || s === steps ? 1 : s % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((s * width) ** 2) / 2);
  }
  return 0.5 + (sum * width) / 3 / Math.sqrt(2 * Math.PI);
}

/** Seeded standard normal numbers. */
export function normals(seed: number): () => number {
  const uniform = seeded(seed);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
