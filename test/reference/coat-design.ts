import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PairFeatures, sparseRows } from '../../src/estimators/propensity/logits.js';
import { type PairDesign, pairDesign } from '../../src/estimators/propensity/pair-design.js';
import { publishedData } from '../support/published-data.js';
import { coatRatings } from './coat.js';

/** All pairs of Coat, with those that users chose to rate as observed. */
export function coatDesign(): PairDesign {
  const observed = coatRatings('train').map((row) =>
    row.flatMap((rating, item) => (rating > 0 ? [item] : [])),
  );
  return pairDesign(observed, 300);
}

/** The 14 features of users and 33 of items, as published. */
export function coatFeatures(): PairFeatures {
  return { users: sparseRows(matrix('user_features')), items: sparseRows(matrix('item_features')) };
}

function matrix(name: string): number[][] {
  return readFileSync(join(publishedData('coat')!, `${name}.ascii`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}
