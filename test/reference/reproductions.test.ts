import { describe, expect, it } from 'vitest';
import { coatMargins } from '../reproduce/coat-margins.js';
import { coatMeanRating } from '../reproduce/coat-mean-rating.js';
import { coatPropensities } from '../reproduce/coat-propensities.js';
import { heldOutWinner } from '../reproduce/held-out-winner.js';
import { ratingVerdict } from '../reproduce/rating-verdict.js';
import { schnabelCoverage } from '../reproduce/schnabel-coverage.js';
import { schnabelFigure4 } from '../reproduce/schnabel-figure-4.js';
import { schnabelTable1 } from '../reproduce/schnabel-table-1.js';
import { schnabelTable2 } from '../reproduce/schnabel-table-2.js';
import type { Table } from '../reproduce/table.js';
import { yangTable1 } from '../reproduce/yang-table-1.js';
import { itAtNight } from '../support/at-night.js';
import { needsData } from '../support/published-data.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

function rowsOff({ rows }: Table): string[] {
  return rows
    .filter(({ isOk }) => !isOk)
    .map(({ what, ours, heldTo }) => `${what}: ${ours}, not ${heldTo}`);
}

describe('the numbers of npm run reproduce', () => {
  it('hold for Yang et al. 2018, Table 1', () => {
    expect(rowsOff(yangTable1())).toEqual([]);
  });

  itAtNight('hold for Schnabel et al. 2016, Figure 4', () => {
    expect(rowsOff(schnabelFigure4())).toEqual([]);
  });

  itAtNight('hold for the coverage of intervals in Schnabel et al. 2016, Figure 4', () => {
    expect(rowsOff(schnabelCoverage(100))).toEqual([]);
  });

  // A shard of the night prints the whole table.
  itAtNight('hold for Schnabel et al. 2016, Table 1, by MAE and by DCG@50', () => {
    const tables = schnabelTable1(50);
    expect(tables.map(({ rows }) => rows.length)).toEqual([20, 20]);
    expect(tables.flatMap(rowsOff)).toEqual([]);
  });
});

describe('the numbers of Coat', needsData('coat'), () => {
  it('hold for propensities by naive Bayes and as published', () => {
    expect(rowsOff(coatPropensities())).toEqual([]);
  });

  // Unit tests of the fit show by day what offsets do to the margins.
  it('hold for the mean rating, and for logistic regression', () => {
    expect(rowsOff(coatMeanRating(IS_LONG))).toEqual([]);
  });

  it('hold for the margins of WTD_H and WTD_IPF', () => {
    expect(rowsOff(coatMargins(repetitions(4, 25)))).toEqual([]);
  });

  // By day `coat-learning` has the optima of both rows of the paper. A shard of the night prints the
  // whole tables, and those of learned rankers.
  itAtNight('hold for MF and MF-IPS by propensities of several kinds', () => {
    expect(rowsOff(schnabelTable2(5, false))).toEqual([]);
  });

  it('hold for the winner by held-out ratings, with and without propensities', () => {
    expect(rowsOff(heldOutWinner(repetitions(1, 4)))).toEqual([]);
  });

  it('hold for the verdict on held-out ratings, checked by resampled users', async () => {
    expect(rowsOff(await ratingVerdict(repetitions(1, 4)))).toEqual([]);
  });
});
