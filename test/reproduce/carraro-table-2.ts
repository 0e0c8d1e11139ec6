import type { Ranker } from '../reference/carraro-protocol.js';
import {
  CARRARO_ESTIMATORS,
  CARRARO_MEASURED,
  carraroTable2 as measure,
} from '../reference/carraro-table-2.js';
import { type Row, type Table, within } from './table.js';

/** As many as the paper's. */
const SPLITS = 10;
/** In standard deviations of a mean of this many splits. */
const TOLERANCE = 2.5;

const NAMES = { posPop: 'PosPop', avgRating: 'AvgRating' } as const;
const PAPER = {
  posPop: { truth: '0.066', full: '+133', reg: '+124', skew: '+13', wtd: '+1', wtd_h: '-43' },
  avgRating: { truth: '0.068', full: '+61', reg: '+53', skew: '+31', wtd: '+6', wtd_h: '+24' },
} as const;

/** Recall@10 of two rankers against the MAR part of Coat, and the interventions' deviation. */
export function carraroTable2(): Table {
  const rankers = Object.keys(NAMES) as Ranker[];
  return {
    title: `Carraro & Bridge 2020, Table 2: Recall@10 on Coat, ${SPLITS} splits`,
    rows: rankers.flatMap(rows),
    note: 'True: on the MAR part. The others: their deviation from it, in per cent.',
  };
}

function rows(ranker: Ranker): Row[] {
  const found = measure(ranker, SPLITS);
  return (['truth', ...CARRARO_ESTIMATORS] as const).map((column) => {
    const [expected, stdDev] = CARRARO_MEASURED[ranker][column];
    const paper = PAPER[ranker][column];
    const ours = found[column];
    const tolerance = TOLERANCE * stdDev;
    if (column === 'truth') {
      return within(`${NAMES[ranker]} true`, paper, ours, expected, tolerance, 3);
    }
    const what = `${NAMES[ranker]} ${column.toUpperCase()}`;
    const sign = ours > 0 ? '+' : '';
    return { ...within(what, paper, ours, expected, tolerance), ours: sign + ours.toFixed(0) };
  });
}
