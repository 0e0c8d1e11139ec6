import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedData } from '../support/published-data.js';

/** Ratings as a matrix of users × items; 0 where there is none. */
export function coatRatings(name: 'train' | 'test'): number[][] {
  return coatMatrix(name);
}

/** One number for each user and item, as published. */
export function coatMatrix(name: 'train' | 'test' | 'propensities'): number[][] {
  return readFileSync(join(publishedData('coat')!, `${name}.ascii`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}

/** Number of ratings per item that `counts`. */
export function ratingsPerItem(ratings: number[][], counts: (rating: number) => boolean): number[] {
  return ratings[0].map((_, item) => ratings.filter((row) => counts(row[item])).length);
}
