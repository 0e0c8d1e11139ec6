import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(
  process.env['UNSKEW_DATA'] ?? fileURLToPath(new URL('../../../shared/data', import.meta.url)),
  'coat',
);

export const hasCoat = existsSync(join(folder, 'train.ascii'));

/** Ratings as a matrix of users × items; 0 where there is none. */
export function coatRatings(name: 'train' | 'test'): number[][] {
  return coatMatrix(name);
}

/** One number for each user and item, as published. */
export function coatMatrix(name: 'train' | 'test' | 'propensities'): number[][] {
  return readFileSync(join(folder, `${name}.ascii`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}

/** Number of ratings per item that `counts`. */
export function ratingsPerItem(ratings: number[][], counts: (rating: number) => boolean): number[] {
  return ratings[0].map((_, item) => ratings.filter((row) => counts(row[item])).length);
}
