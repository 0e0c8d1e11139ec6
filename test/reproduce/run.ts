import { publishedData } from '../support/published-data.js';
import { carraroLearned } from './carraro-learned.js';
import { carraroTable2 } from './carraro-table-2.js';
import { coatMargins } from './coat-margins.js';
import { coatMeanRating } from './coat-mean-rating.js';
import { coatPropensities } from './coat-propensities.js';
import { driftRunLengths } from './drift-run-lengths.js';
import { heldOutWinner } from './held-out-winner.js';
import { ratingVerdict } from './rating-verdict.js';
import { schnabelCoverage } from './schnabel-coverage.js';
import { schnabelFigure4 } from './schnabel-figure-4.js';
import { schnabelTable1 } from './schnabel-table-1.js';
import { schnabelTable2 } from './schnabel-table-2.js';
import { format, type Table } from './table.js';
import { yangTable1 } from './yang-table-1.js';
import { yangTable2 } from './yang-table-2.js';

/** `npm run reproduce`: the papers' tables beside ours; exits with 1 where a row is off. */
const tables: Table[] = [];
show([yangTable1()]);
show(schnabelTable1());
show([schnabelFigure4()]);
show([schnabelCoverage()]);
show([driftRunLengths()]);
if (publishedData('coat') !== undefined) {
  show([coatPropensities()]);
  show([coatMeanRating()]);
  show([carraroTable2()]);
  show([carraroLearned()]);
  show([coatMargins()]);
  show([schnabelTable2()]);
  show([heldOutWinner()]);
  show([await ratingVerdict()]);
}
if (publishedData('ml-latest-small') !== undefined) show([yangTable2()]);
const held = tables.flatMap(({ rows }) => rows).filter(({ heldTo }) => heldTo !== '–');
const off = held.filter(({ isOk }) => !isOk);
process.stdout.write(`${held.length - off.length} of ${held.length} numbers within tolerance\n`);
for (const { what } of off) process.stdout.write(`off: ${what}\n`);
process.exitCode = off.length === 0 ? 0 : 1;

function show(found: Table[]): void {
  for (const table of found) {
    tables.push(table);
    process.stdout.write(`${format(table)}\n`);
  }
}
