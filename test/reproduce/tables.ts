import { carraroLearned } from './carraro-learned.js';
import { carraroTable2 } from './carraro-table-2.js';
import { coatMargins } from './coat-margins.js';
import { coatMeanRating } from './coat-mean-rating.js';
import { coatPropensities } from './coat-propensities.js';
import { driftRunLengths } from './drift-run-lengths.js';
import { gsTable2 } from './gs-table-2.js';
import { heldOutWinner } from './held-out-winner.js';
import { ratingVerdict } from './rating-verdict.js';
import { schnabelCoverage } from './schnabel-coverage.js';
import { schnabelFigure3 } from './schnabel-figure-3.js';
import { schnabelFigure4 } from './schnabel-figure-4.js';
import { schnabelTable1 } from './schnabel-table-1.js';
import { schnabelTable2 } from './schnabel-table-2.js';
import type { Table } from './table.js';
import { yangTable1 } from './yang-table-1.js';
import { yangTable2 } from './yang-table-2.js';

interface Reproduction {
  /** Name of the published data set that it needs. */
  readonly data?: 'coat' | 'ml-latest-small';
  readonly make: () => Table[] | Promise<Table[]>;
}

/** What `npm run reproduce` prints, by name, in this order. */
export const REPRODUCTIONS: Readonly<Record<string, Reproduction>> = {
  'yang-table-1': { make: () => [yangTable1()] },
  'schnabel-table-1': { make: () => schnabelTable1() },
  'schnabel-figure-4': { make: () => [schnabelFigure4()] },
  'schnabel-coverage': { make: () => [schnabelCoverage()] },
  'drift-run-lengths': { make: () => [driftRunLengths()] },
  'coat-propensities': { data: 'coat', make: () => [coatPropensities()] },
  'coat-mean-rating': { data: 'coat', make: () => [coatMeanRating()] },
  'carraro-table-2': { data: 'coat', make: () => [carraroTable2()] },
  'carraro-learned': { data: 'coat', make: () => [carraroLearned()] },
  'gs-table-2': { data: 'coat', make: () => [gsTable2()] },
  'coat-margins': { data: 'coat', make: () => [coatMargins()] },
  'schnabel-table-2': { data: 'coat', make: () => [schnabelTable2()] },
  'held-out-winner': { data: 'coat', make: () => [heldOutWinner()] },
  'rating-verdict': { data: 'coat', make: async () => [await ratingVerdict()] },
  'schnabel-figure-3': { data: 'ml-latest-small', make: () => [schnabelFigure3()] },
  'yang-table-2': { data: 'ml-latest-small', make: () => [yangTable2()] },
};
